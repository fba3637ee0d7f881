"""How a run is shown while it goes on: a line in a terminal or a notebook, nothing in a pipe."""

from __future__ import annotations

import math
from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeRemainingColumn


class Bar:
    """A bar with the step, the loss against the heuristic's, and the time left. `shown=None` looks whether anybody can see it."""

    def __init__(self, shown: bool | None) -> None:
        console = Console(stderr=True, force_terminal=True if shown else None)
        self.shown = (console.is_terminal or console.is_jupyter) if shown is None else shown
        columns = (
            TextColumn("{task.description}"),
            BarColumn(24),
            TextColumn("{task.completed}/{task.total}"),
            TextColumn("{task.fields[loss]}"),
            TimeRemainingColumn(),
        )
        self.progress = Progress(*columns, console=console, transient=True, disable=not self.shown)
        self.task: TaskID | None = None
        self.name = ""

    def __enter__(self) -> Bar:
        self.progress.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.progress.stop()

    def begin(self, name: str, steps: int) -> None:
        """Start the bar of one training."""
        self.name = name
        self.task = self.progress.add_task(name, total=steps, loss="")

    def show(self, doing: str, step: int, best: float, heuristic: float) -> None:
        """Show what is being done, the step, and the best loss so far."""
        if self.task is not None:
            share = f" ({best / heuristic:.3g} of the heuristic's)" if heuristic > 0 else ""
            loss = f"loss {best:.4g}{share}" if math.isfinite(best) else ""
            self.progress.update(self.task, description=f"{self.name}: {doing}", completed=step, loss=loss)

    def say(self, doing: str) -> None:
        """Show what is being done where there are no steps."""
        if self.task is not None:
            self.progress.update(self.task, description=doing, loss="")
