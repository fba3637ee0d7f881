"""Facts about operations stand in their rows: the rest of the package names few operations."""

from tests.mentions import count, mentions

MOST = 249


def test_few_operations_are_named_outside_of_the_table():
    found = count()
    assert sum(names.total() for names in found.values()) <= MOST, {name: dict(names) for name, names in found.items()}


def test_names_of_operations_are_found_wherever_they_stand():
    assert mentions("KNOWN = {'sqrt': 1, 'root': 2}\nop.name in ('exp', 'sqrt')") == {"sqrt": 2, "exp": 1}
