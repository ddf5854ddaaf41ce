"""Fitted attributes: looked up in the model, by name, and read-only."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Generic, TypeVar, overload

import numpy as np


if TYPE_CHECKING:
    from typing_extensions import Self

Value = TypeVar("Value")


class attribute(Generic[Value]):
    """A fitted attribute that is looked up in the model, once: by its own name without the underscore, or by ``look``. Before a
    fit, and where the method has no such value, it is not there; it cannot be changed."""

    def __init__(self, look: Callable[[Any], Any] | None = None, *, axis: int | None = None) -> None:
        # Along the axis there is one entry per component.
        self.look, self.axis = look, axis

    def __set_name__(self, owner: Any, name: str) -> None:
        self.name = name

    @overload
    def __get__(self, estimator: None, owner: Any = None) -> Self: ...

    @overload
    def __get__(self, estimator: object, owner: Any = None) -> Value: ...

    def __get__(self, estimator: Any, owner: Any = None) -> Any:
        if estimator is None:
            return self
        model, seen = estimator._known(self.name), estimator._seen
        if self.name not in seen:
            seen[self.name] = estimator._typed(estimator._cut(self._found(estimator, model), self.axis))
        return locked(seen[self.name])

    def __set__(self, estimator: Any, value: Any) -> None:
        raise AttributeError(f"{self.name} is what the fit found: transform and save would not follow a change, so there is none")

    def _found(self, estimator: Any, model: Any) -> Any:
        if self.look is None:
            try:
                return getattr(model, self.name.removesuffix("_"))
            except AttributeError:
                raise absent(estimator, self.name) from None
        try:
            return self.look(model)
        except ValueError as error:
            raise AttributeError(f"{self.name}: {error}") from None


if TYPE_CHECKING:

    class derived(Generic[Value]):
        def __init__(self, compute: Callable[[Any], Value]) -> None: ...

        @overload
        def __get__(self, estimator: None, owner: Any = None) -> Self: ...

        @overload
        def __get__(self, estimator: object, owner: Any = None) -> Value: ...

        def __get__(self, estimator: Any, owner: Any = None) -> Any: ...

        def __set__(self, estimator: Any, value: Any) -> None: ...

else:

    class derived(property):
        """A fitted attribute that is computed at every access; it is read-only."""

        def __get__(self, estimator, owner=None):
            return locked(super().__get__(estimator, owner))


class remembered:
    """An array that scikit-learn sets; users get it read-only."""

    def __set_name__(self, owner: Any, name: str) -> None:
        self.name = name

    def __get__(self, estimator: Any, owner: Any = None) -> Any:
        if estimator is None:
            return self
        if self.name not in estimator.__dict__:
            raise absent(estimator, self.name)
        return locked(estimator.__dict__[self.name])

    def __set__(self, estimator: Any, value: Any) -> None:
        estimator.__dict__[self.name] = value

    def __delete__(self, estimator: Any) -> None:
        del estimator.__dict__[self.name]


def absent(estimator: Any, name: str) -> AttributeError:
    """Python's error for an attribute that does not exist."""
    return AttributeError(f"{type(estimator).__name__!r} object has no attribute {name!r}")


def locked(value: Any) -> Any:
    """A read-only array: changing it would not change the model."""
    if isinstance(value, np.ndarray):
        value.flags.writeable = False
    return value
