"""Records calls of attention while a person's model runs, and changes nothing of what it does.

A `TorchFunctionMode` sees PyTorch's attention functions, however they were imported. Two other
places are replaced while somebody records: PyTorch's own question whether functions are
overridden, which would turn its fast paths off, and the place where transformers chooses an
attention function. Hooks of modules give names and outputs. All of it concerns the thread that
records; other threads run as ever.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from functools import partial, wraps
from sys import modules
from typing import Any

import torch
import torch.overrides
from torch import nn
from torch.nn.modules.module import register_module_forward_hook, register_module_forward_pre_hook

from core.errors import input_error
from core.pytorch.attention_calls import PARTS_OF_CALL, TEXTS, Parts, interface_parts
from core.pytorch.call_parts import CallParts, NotRecordedError, array_of, recorded_call
from core.pytorch.recorded_call import (
    MOST_CALLS,
    MOST_NOTES,
    MOST_OUTPUT,
    MOST_RECORDED_BYTES,
    RecordedCall,
)

_SOFTMAX = (nn.functional.softmax, torch.softmax, torch.Tensor.softmax, torch.special.softmax)
_AXES_OF_SCORES = 4


@dataclass(frozen=True, eq=False)
class _Waiting:
    """A call whose module has not returned: its place in the list, and how deep the module is."""

    place: int
    depth: int
    batch: tuple[int, ...]


class Recorder:
    """The calls of one thread, and notes that say why others were left out."""

    def __init__(self, item: int) -> None:
        self.calls: list[RecordedCall] = []
        self.notes: list[str] = []
        self.item = item
        self.mode = _SeenCalls(self)
        self.has_passed_over = False
        self._bytes = 0
        self._modules: list[nn.Module] = []
        self._paths: dict[nn.Module, dict[nn.Module, str]] = {}
        self._waiting: list[_Waiting] = []
        self._chosen = False
        """Whether a function that transformers chose is running; it is recorded as a whole."""
        self._fused: CallParts | None = None

    def see(self, parts: Parts, result: Any, *args: Any, **kwargs: Any) -> None:
        """Record a call of a function, or why it cannot be recorded. Raises nothing."""
        try:
            with torch.no_grad():
                found = parts(self.item, result, *args, **kwargs)
                if self._chosen:
                    self._fused = found
                else:
                    self._add(found)
        except NotRecordedError as error:
            self._note(str(error))
        except Exception as error:  # a tensor without numbers, a version of PyTorch, no memory
            self._note(TEXTS("unreadable_call", error=type(error).__name__))

    def choose(self, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """Call an attention function of transformers, and record it."""
        if self._chosen or torch.compiler.is_compiling():
            return function(*args, **kwargs)
        self._chosen, self._fused = True, None
        try:
            result = function(*args, **kwargs)
        finally:
            self._chosen = False
        self.see(interface_parts, result, *args, fused=self._fused, **kwargs)
        return result

    def pass_over(self, weights: Any) -> None:
        """Note a softmax over rows of scores (…, H, T, S) that none of the recorded functions has.

        Where its queries and keys are from, nobody can tell from outside.
        """
        if not self._chosen and self._modules and weights.dim() == _AXES_OF_SCORES:
            self.has_passed_over = True
            self._note(TEXTS("own_softmax", module=type(self._modules[-1]).__name__[:60]))

    def enter(self, module: nn.Module, args: Any) -> None:
        """A module begins: `register_module_forward_pre_hook`."""
        if not torch.compiler.is_compiling() and self is _recorder():
            self._modules.append(module)

    def leave(self, module: nn.Module, args: Any, result: Any) -> None:
        """A module has returned, or raised: `register_module_forward_hook`."""
        if torch.compiler.is_compiling() or self is not _recorder() or module not in self._modules:
            return
        while self._modules.pop() is not module:  # one that raised, and whose hook did not run
            pass
        depth = len(self._modules) + 1
        done = [one for one in self._waiting if one.depth >= depth]
        self._waiting = self._waiting[: len(self._waiting) - len(done)]
        if len(done) == 1 and done[0].depth == depth:
            with suppress(Exception), torch.no_grad():
                self._set_output(done[0], result)

    def _add(self, parts: CallParts) -> None:
        """Add a call to those that were recorded. Raises `NotRecordedError`."""
        if len(self.calls) >= MOST_CALLS or self._bytes >= MOST_RECORDED_BYTES:
            most, size = f"{MOST_CALLS:,}", f"{MOST_RECORDED_BYTES / 1e9:g} GB"
            raise NotRecordedError(TEXTS("full", calls=most, size=size))
        call = recorded_call(self._name(parts), parts)
        if self._modules and parts.output is None and not parts.inner:
            self._waiting.append(_Waiting(len(self.calls), len(self._modules), parts.batch))
        self._bytes += sum(array.nbytes for array in call.arrays.values())
        self.calls.append(call)

    def _name(self, parts: CallParts) -> str:
        """The path of the module that calls, in the outermost one."""
        if not self._modules:
            return parts.function
        root, module = self._modules[0], self._modules[-1]
        if root not in self._paths:
            self._paths[root] = {part: path for path, part in root.named_modules()}
        path = self._paths[root].get(module) or ("" if parts.inner else type(module).__name__)
        return ".".join(filter(None, (path, parts.inner)))

    def _set_output(self, waiting: _Waiting, result: Any) -> None:
        """Add what a module returned to its one call, if its axes are those of the call."""
        call = self.calls[waiting.place]
        output = result if isinstance(result, torch.Tensor) else result[0]
        axes = (*waiting.batch, call.n_queries)
        if output.shape[:-1] == axes and output.shape[-1] <= MOST_OUTPUT:
            array = array_of(output.flatten(0, -3)[self.item] if waiting.batch else output)
            self._bytes += array.nbytes
            self.calls[waiting.place] = call.with_array("output", array)

    def _note(self, sentence: str) -> None:
        if sentence not in self.notes and len(self.notes) < MOST_NOTES - 2:  # of names: 2
            self.notes.append(sentence)


class _SeenCalls(torch.overrides.TorchFunctionMode):
    """Passes every call of a function of PyTorch on, and shows some to the recorder."""

    def __init__(self, recorder: Recorder) -> None:
        super().__init__()
        self._recorder = recorder

    def __torch_function__(
        self, function: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        result = function(*args, **(kwargs or {}))
        if not torch.compiler.is_compiling() and function in PARTS_OF_CALL:
            self._recorder.see(PARTS_OF_CALL[function], result, *args, **(kwargs or {}))
        elif function in _SOFTMAX and not torch.compiler.is_compiling():
            self._recorder.pass_over(result)
        return result


_RECORDERS: dict[int, Recorder] = {}
"""Who records, by thread."""
_LOCK = threading.Lock()
_REPLACED = ExitStack()
"""Gives back what is replaced while anybody records."""


def _recorder() -> Recorder | None:
    """Return the recorder of this thread."""
    return _RECORDERS.get(threading.get_ident())


@contextmanager
def recording_thread(item: int) -> Iterator[Recorder]:
    """Record the calls of this thread inside the block. Raises `InputError` if it records already.

    `item` is which one of a batch is recorded, from 0.
    """
    thread = threading.get_ident()
    recorder = Recorder(item)
    with ExitStack() as after:
        with _LOCK:
            if thread in _RECORDERS:
                raise input_error(TEXTS, "records_already")
            if not _RECORDERS:
                _replace()
            _RECORDERS[thread] = recorder
        after.callback(_end, thread)
        after.callback(register_module_forward_pre_hook(recorder.enter).remove)
        after.callback(register_module_forward_hook(recorder.leave, always_call=True).remove)
        after.enter_context(recorder.mode)
        yield recorder


def _end(thread: int) -> None:
    with _LOCK:
        del _RECORDERS[thread]
        if not _RECORDERS:
            _REPLACED.close()


def _replace() -> None:
    """Replace what a mode cannot see, until nobody records."""
    overridden: Callable[[Any], bool] = torch.overrides.has_torch_function
    current_mode: Callable[[], Any] = torch.overrides._get_current_function_mode

    @wraps(overridden)
    def as_without_us(tensors: Any) -> bool:
        recorder = None if torch.compiler.is_compiling() else _recorder()
        if recorder is None or current_mode() is not recorder.mode:
            return overridden(tensors)
        with torch.overrides._pop_mode_temporarily():
            return overridden(tensors)

    _set(torch.overrides, "has_torch_function", as_without_us)
    transformers = modules.get("transformers.modeling_utils")
    chooser: Any = getattr(transformers, "AttentionInterface", None)
    if hasattr(chooser, "get_interface"):
        choose = chooser.get_interface

        @wraps(choose)
        def choose_recorded(*args: Any, **kwargs: Any) -> Any:
            function, recorder = choose(*args, **kwargs), _recorder()
            return partial(recorder.choose, function) if recorder else function

        _set(chooser, "get_interface", choose_recorded)


def _set(owner: Any, name: str, value: Any) -> None:
    _REPLACED.callback(setattr, owner, name, getattr(owner, name))
    setattr(owner, name, value)
