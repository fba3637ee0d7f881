"""Rows that index, arrange, reduce and order arrays do what NumPy does, for batched and for uniform operands."""

import math

import numpy as np
import pytest
import torch

from deepalgo.ir import Kind, Type
from deepalgo.ops.table import infer
from tests.support.against_numpy import build, check_gradients, check_values

nan, inf = math.nan, math.inf
B = 3
KEYS = [
    (1,), (-1,), (0, 2), ("...",), (), (None,), ("...", 0), (1, "...", None), (("slice", None, None, None), 1),
    (("slice", 1, None, None),), (("slice", None, None, 2), ("slice", None, -1, None)), (("slice", None, None, -1),),
    (("slice", None, 0, -2), None, ("slice", 3, 1, -1), 0), (None, ("slice", 1, 1, None)), (("slice", 0, 3, -1),),
    (2, ("slice", -2, None, -1), None, ("slice", None, None, -1)), (0, 1, 1), (("slice", 5, 9, None), "...", 1),
]


def numbers(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=(B, *shape)).round(3)


@pytest.mark.parametrize("key", KEYS)
def test_basic_indices_take_what_numpy_takes(key):
    check_values("take", [numbers(3, 4, 2)], rtol=0, key=key)
    check_gradients("take", [numbers(3, 4, 2)], key=key)


@pytest.mark.parametrize("key", KEYS)
def test_replaced_parts_are_numpys(key):
    array = numbers(3, 4, 2)
    shape = infer("take", [Type(Kind.REAL, (3, 4, 2))], {"key": key}).shape
    for part in {shape, shape[1:], (), (1, *shape) if shape else (), tuple(1 for _ in shape)}:
        check_values("put", [array, numbers(*part, seed=1)], rtol=0, key=key)
    check_gradients("put", [array, numbers(*shape, seed=1)], key=key)
    check_gradients("put", [array, numbers(seed=1)], key=key)


def test_what_is_put_takes_the_kind_of_the_array():
    check_values("put", [np.arange(9).reshape(3, 3), np.array([1.7, -1.7, 2.5])], key=(1,))
    check_values("put", [np.zeros((3, 3), bool), np.array([1.7, 0.0, nan])], key=(1,))
    check_values("put", [numbers(3), np.array([True, False, True])], key=(1,))
    check_values("put", [numbers(3), np.array([1, 2, 3])], key=(1,))
    with pytest.raises(TypeError, match="not defined for complex operands"):
        infer("put", [Type(Kind.REAL, (3,)), Type(Kind.COMPLEX)], {"key": (0,)})


@pytest.mark.parametrize("indices", [(0, 2, -1), (1,), (), ((0, 1), (2, -3)), 2])
@pytest.mark.parametrize("axis", [0, 1, -1])
def test_fixed_lists_of_indices_pick_as_numpy_does(indices, axis):
    check_values("pick", [numbers(3, 4)], rtol=0, indices=indices, axis=axis)
    check_gradients("pick", [numbers(3, 4)], indices=indices, axis=axis)


@pytest.mark.parametrize("shape", [(4,), (4, 2), (4, 2, 3)])
def test_one_place_chosen_by_data_is_replaced(shape):
    place = np.array([2, 0, 3])
    for item in (shape[1:], ()):
        check_values("put_at", [numbers(*shape), place, numbers(*item, seed=1)], rtol=0)
    check_gradients("put_at", [numbers(*shape), place, numbers(*shape[1:], seed=1)])


@pytest.mark.parametrize("axis", [0, 1, 2, -1])
@pytest.mark.parametrize("shape", [(), (2,), (2, 2)])
def test_places_chosen_by_data_are_picked(axis, shape):
    place = np.random.default_rng(0).integers(0, 2, size=(B, *shape))
    check_values("pick_at", [numbers(3, 2, 4), place], rtol=0, axis=axis)
    check_gradients("pick_at", [numbers(3, 2, 4), place], axis=axis)


def test_places_out_of_range_are_brought_into_it():
    array, place = np.arange(6.0).reshape(2, 3), np.array([-7, 9])
    ours = build("pick_at", [array, place], [True, True], {"axis": 0})(torch.tensor(array), torch.tensor(place))
    assert ours.tolist() == [0.0, 5.0]
    ours = build("put_at", [array, place, array[:, 0]], [True] * 3, {})(torch.tensor(array), torch.tensor(place), torch.ones(2))
    assert ours.tolist() == [[1.0, 1.0, 2.0], [3.0, 4.0, 1.0]]


@pytest.mark.parametrize("array", [numbers(2, 6), np.arange(36).reshape(3, 2, 6), numbers(2, 6) > 0, numbers(2, 6) + 1j])
def test_arrays_are_arranged_as_numpy_does(array):
    if array.dtype != complex:
        check_values("reshape", [array], rtol=0, shape=(3, 4))
    for shape in ((3, 4), (12,), (-1, 3), (1, 2, 6, 1)):
        ours = build("reshape", [array], [True], {"shape": shape})(torch.tensor(array))
        np.testing.assert_array_equal(ours.numpy(), np.stack([sample.reshape(shape) for sample in array]))
    for axes in ((1, 0), (-1, 0), (0, 1)):
        ours = build("permute", [array], [True], {"axes": axes})(torch.tensor(array))
        np.testing.assert_array_equal(ours.numpy(), np.stack([sample.transpose(axes) for sample in array]))


def test_scalars_and_empty_arrays_are_arranged():
    check_values("reshape", [numbers()], shape=(1, 1))
    check_values("reshape", [numbers(1, 1)], shape=())
    check_values("broadcast", [numbers()], shape=(2, 3))
    check_values("reshape", [np.zeros((3, 0, 2))], shape=(2, -1))
    check_values("reshape", [np.zeros((3, 0, 2))], shape=(0,))


@pytest.mark.parametrize(("shape", "target"), [((3,), (2, 3)), ((2, 1), (2, 4)), ((), (3,)), ((1, 3), (4, 5, 3)), ((2, 3), (2, 3))])
def test_arrays_are_broadcast_as_numpy_does(shape, target):
    check_values("broadcast", [numbers(*shape)], rtol=0, shape=target)
    check_gradients("broadcast", [numbers(*shape)], shape=target)


@pytest.mark.parametrize("axis", [0, 1, -1, -2])
def test_arrays_are_joined_as_numpy_does(axis):
    shapes = [(2, 3), (2, 3), (2, 3)]
    shapes[1] = (1, 3) if axis in (0, -2) else (2, 5)
    check_values("concat", [numbers(*shape, seed=place) for place, shape in enumerate(shapes)], rtol=0, axis=axis)
    check_gradients("concat", [numbers(*shape, seed=place) for place, shape in enumerate(shapes)], axis=axis)


def test_joined_arrays_meet_in_one_kind():
    check_values("concat", [np.arange(6).reshape(3, 2), numbers(2), numbers(3) > 0], axis=0)
    check_values("concat", [np.arange(6).reshape(3, 2), numbers(3) > 0], axis=0)


AWKWARD = np.array([[1.0, nan, 0.0, nan, 0.0], [2.0, -1.0, 2.0, -1.0, 0.5], [inf, -inf, 0.0, -0.0, 3.0]])


@pytest.mark.parametrize("name", ["sum", "prod", "amin", "amax", "any", "all", "argmin", "argmax"])
@pytest.mark.parametrize("axis", [None, 0, 1, -1])
def test_reductions_are_numpys(name, axis):
    tall = np.stack([AWKWARD, AWKWARD[:, ::-1], AWKWARD + 1])
    check_values(name, [tall], axis=axis)
    check_values(name, [numbers(3, 4)], axis=axis)
    check_values(name, [np.arange(24).reshape(3, 2, 4) % 5], axis=axis)
    check_values(name, [numbers(2, 3) > 0], axis=axis)
    if name not in ("any", "all", "argmin", "argmax"):
        check_gradients(name, [numbers(3, 4)], axis=axis)


@pytest.mark.parametrize("name", ["sum", "prod", "amin", "amax", "any", "all", "argmin", "argmax"])
def test_reductions_take_scalars(name):
    check_values(name, [np.array([1.0, 0.0, nan])], axis=None)
    check_values(name, [np.array([1, 0, 2])], axis=None)


@pytest.mark.parametrize("name", ["sum", "prod", "any", "all"])
def test_reductions_of_nothing_are_numpys(name):
    check_values(name, [np.zeros((3, 0))], axis=None)
    check_values(name, [np.zeros((3, 0, 2))], axis=0)


def test_the_first_extreme_number_has_the_gradient():
    x = torch.tensor([[2.0, 1.0, 1.0, 2.0], [0.0, nan, 3.0, nan]], dtype=torch.float64, requires_grad=True)
    for name, places in (("amin", [1, 1]), ("amax", [0, 1])):
        x.grad = None
        build(name, [x.detach().numpy()], [True], {"axis": 0})(x).sum().backward()
        assert x.grad.tolist() == torch.nn.functional.one_hot(torch.tensor(places), 4).tolist()


def test_products_with_zeros_have_a_gradient():
    array = np.array([[0.0, 2.0, 3.0], [0.0, 0.0, 3.0], [1.0, 2.0, 4.0]])
    for name, axis in (("prod", None), ("prod", 0), ("cumprod", 0)):
        check_gradients(name, [array], axis=axis)


@pytest.mark.parametrize("name", ["cumsum", "cumprod"])
@pytest.mark.parametrize("axis", [0, 1, -1, None])
def test_running_totals_are_numpys(name, axis):
    check_values(name, [numbers(3, 4)], axis=axis)
    check_values(name, [np.stack([AWKWARD] * 3)], axis=axis)
    check_values(name, [np.arange(24).reshape(3, 2, 4)], axis=axis)
    check_values(name, [numbers(2, 4) > 0], axis=axis)
    check_gradients(name, [numbers(3, 4)], axis=axis)


@pytest.mark.parametrize("name", ["sort", "argsort"])
@pytest.mark.parametrize("axis", [0, 1, -1, None])
def test_order_is_numpys(name, axis):
    for array in (numbers(3, 4), np.stack([AWKWARD] * 3), np.arange(24).reshape(3, 2, 4) % 5, numbers(2, 4) > 0):
        check_values(name, [array], rtol=0, axis=axis)
    if name == "sort":
        check_gradients(name, [numbers(3, 4)], axis=axis)


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("shape", [(), (5,), (2, 5)])
def test_places_in_a_table_are_numpys(side, shape):
    table = np.sort(np.random.default_rng(0).integers(0, 9, size=(B, 6)), axis=1)
    x = np.random.default_rng(1).integers(-1, 11, size=(B, *shape))
    check_values("searchsorted", [table, x], side=side)
    check_values("searchsorted", [table * 1.0, x], side=side)
    check_values("searchsorted", [table * 1.0, np.where(x % 4 == 0, nan, x + 0.5)], side=side)


XP = np.array([[0.0, 1.0, 1.0, 3.0, 4.0], [-2.0, -1.0, 0.5, 2.0, 7.0], [0.0, 1.0, 2.0, 3.0, 4.0]])
FP = np.array([[1.0, 2.0, -1.0, 0.5, 0.5], [0.0, 1.0, 0.0, 3.0, -2.0], [1.0, inf, inf, 2.0, -inf]])
X = np.array([[-1.0, 0.0, 0.3, 1.0, 2.5, 4.0, 9.0, nan], [-3.0, -2.0, -1.5, 0.5, 0.7, 7.0, 6.9, inf],
              [-1.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.5, 4.0]])


def test_interpolation_is_numpys():
    check_values("interp", [X, XP, FP])
    check_values("interp", [X.reshape(3, 2, 4), XP, FP])
    check_values("interp", [X[:, 2], XP, FP])
    check_values("interp", [X, XP[:, :1], FP[:, :1]])
    check_values("interp", [np.arange(3), np.array([[0, 2]] * 3), np.array([[5, 7]] * 3)])


def test_interpolation_has_gradients_by_all_operands():
    x = np.array([[-1.0, 0.3, 1.3, 2.5, 9.0]] * 3) + 0.1 * numbers()[:, None]
    xp = np.array([[0.0, 0.8, 1.7, 3.0, 4.0]] * 3) + 0.01 * numbers(5)
    check_gradients("interp", [x, xp, FP[[0, 1, 0]]])
    check_gradients("interp", [x[:, 1], xp, FP[[0, 1, 0]]])


REAL, FLAT = Type(Kind.REAL, (2, 3)), Type(Kind.REAL)


@pytest.mark.parametrize(("name", "types", "attrs", "error", "text"), [
    ("take", [REAL], {"key": (2,)}, IndexError, "index 2 is out of bounds for axis 0 with size 2"),
    ("take", [REAL], {"key": (0, 0, 0)}, IndexError, "too many indices for array: array is 2-dimensional, but 3 were indexed"),
    ("put", [REAL, Type(Kind.REAL, (2,))], {"key": (0,)}, ValueError, "could not broadcast input array from shape (2,) into shape (3,)"),
    ("put_at", [REAL, Type(Kind.INT), Type(Kind.REAL, (2,))], {}, ValueError,
     "could not broadcast input array from shape (2,) into shape (3,)"),
    ("put_at", [REAL, FLAT, FLAT], {}, IndexError, "arrays used as indices must be of integer (or boolean) type"),
    ("pick", [REAL], {"indices": (0, 5), "axis": 0}, IndexError, "index 5 is out of bounds for axis 0 with size 2"),
    ("pick_at", [REAL, Type(Kind.INT)], {"axis": None}, TypeError, "numbers are picked along one axis"),
    ("reshape", [REAL], {"shape": (4,)}, ValueError, "cannot reshape array of size 6 into shape (4,)"),
    ("permute", [REAL], {"axes": (0,)}, ValueError, "axes don't match array"),
    ("amin", [Type(Kind.REAL, (0,))], {"axis": None}, ValueError, "zero-size array to reduction operation minimum which has no identity"),
    ("argmax", [REAL], {"axis": 2}, ValueError, "axis 2 is out of bounds for array of dimension 2"),
    ("amax", [Type(Kind.COMPLEX, (2,))], {"axis": None}, TypeError, "not defined for complex operands"),
    ("concat", [REAL, FLAT], {"axis": 0}, ValueError,
     "all the input arrays must have same number of dimensions, but the array at index 0 has 2 dimension(s) "
     "and the array at index 1 has 0 dimension(s)"),
])
def test_wrong_shapes_raise_what_numpy_raises(name, types, attrs, error, text):
    with pytest.raises(error) as caught:
        infer(name, types, attrs)
    assert str(caught.value) == text


def test_indices_work_under_vmap():
    from deepalgo.ops import forms

    rows, items = torch.arange(12.0).reshape(4, 3), torch.ones(4)
    put = torch.func.vmap(lambda row, item: forms.put(row, item, (1,), 0, 0))
    assert put(rows, items)[:, 1].tolist() == [1.0] * 4
    unbatched = torch.func.vmap(lambda item: forms.put(torch.zeros(3), item, (("slice", None, None, -1),), 0, 0))
    assert unbatched(items).tolist() == [[1.0] * 3] * 4


def test_the_checkers_find_a_wrong_row():
    with pytest.raises(AssertionError):
        check_values("take", [numbers(3)], oracle=lambda sample: sample[1], key=(0,))
    with pytest.raises(AssertionError):
        check_gradients("take", [numbers(3)], oracle=lambda sample: sample[0] * 1.001, key=(0,))
    with pytest.raises(AssertionError):
        check_values("sum", [np.arange(3)], oracle=lambda sample: float(sample), axis=None)
