"""The library by ctypes: plans and tables of numpy arrays, with as little of Python between as there can be."""
import ctypes
import itertools
import weakref

import measure

TYPES = {"uint8": 0, "uint16": 1, "uint32": 2, "uint64": 3, "float32": 4, "float64": 5}  # satf_type


class View(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("width", ctypes.c_int64), ("height", ctypes.c_int64),
                ("stride", ctypes.c_int64), ("channels", ctypes.c_int32), ("type", ctypes.c_int32),
                ("device", ctypes.c_int32), ("flags", ctypes.c_uint32),
                ("pixel_stride", ctypes.c_int64), ("full", ctypes.c_double)]

    @classmethod
    def of(cls, a):
        view = cls(data=a.ctypes.data, width=a.shape[1], height=a.shape[0], stride=a.strides[0],
                   channels=a.shape[2] if a.ndim > 2 else 1, type=TYPES[a.dtype.name])
        view.array = a  # lives as long
        return view


class Library:
    """With a context of so many threads."""

    def __init__(self, build, threads):
        self.library = ctypes.CDLL(str(build / ".libs" / "libsatfilter.so"))
        self.library.satf_message.restype = self.library.satf_instructions.restype = ctypes.c_char_p
        self.context = ctypes.c_void_p()
        self.check(self.library.satf_context_create(ctypes.byref(self.context)))
        self.check(self.library.satf_context_set_threads(self.context, threads))

    def check(self, status):
        if status:
            measure.fail(self.library.satf_message(self.context).decode())

    def instructions(self):
        """The instruction set that it uses, the last of those that can be used."""
        names = (self.library.satf_instructions(ctypes.c_size_t(index)) for index in itertools.count())
        return list(itertools.takewhile(bool, names))[-1].decode()

    def plan(self, spec, image, made):
        """A function that filters the image into the array, and returns that."""
        chain, plan, one = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_size_t(1)
        views = ctypes.byref(View.of(image)), one, ctypes.byref(View.of(made)), one
        self.check(self.library.satf_filter_parse(self.context, spec.encode(), ctypes.byref(chain)))
        self.check(self.library.satf_plan_create(self.context, chain, *views, ctypes.byref(plan)))
        self.library.satf_filter_destroy(chain)
        call = self.returning(made, self.library.satf_plan_run, plan, *views)
        weakref.finalize(call, self.library.satf_plan_destroy, plan)
        return call

    def table(self, image, made, squares=False):
        """The same of satf_sat(), whose sums of integers wrap."""
        views = map(ctypes.byref, map(View.of, (image, made)))
        return self.returning(made, self.library.satf_sat, self.context, *views, ctypes.c_uint(squares))

    def returning(self, made, function, *arguments):
        def call():
            if status := function(*arguments):
                self.check(status)
            return made
        return call
