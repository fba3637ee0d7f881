"""The text of functions: read once for a file, and gone with the function."""

import gc
import importlib.util
import linecache
import weakref

import deepalgo as da
from deepalgo.spans import read_function

TEXT = "def first(x):\n    return 2.0 * x\n\n\ndef second(x):\n    return 3.0 * x\n"


def module(path, text):
    path.write_text(text)
    linecache.checkcache(str(path))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


def test_functions_of_one_file_share_its_lines(tmp_path):
    made = module(tmp_path / "two.py", TEXT)
    first, second = read_function(made.first), read_function(made.second)
    assert first.lines is second.lines
    assert first.lines[5] == "    return 3.0 * x"


def test_a_file_that_was_written_anew_is_read_anew(tmp_path):
    assert da.compile(module(tmp_path / "two.py", TEXT).first)(1.0).item() == 2.0
    changed = module(tmp_path / "two.py", f"# moved\n{TEXT.replace('2.0', '5.0')}")
    assert da.compile(changed.first)(1.0).item() == 5.0
    assert read_function(changed.first).lines[0] == "# moved"


def test_what_is_known_of_a_function_goes_with_it(tmp_path):
    made = module(tmp_path / "two.py", TEXT)
    code = weakref.ref(made.first.__code__)
    assert da.compile(made.first)(1.0).item() == 2.0
    del made
    gc.collect()
    assert code() is None
