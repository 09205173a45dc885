"""Threads, processes, signals, pickles, and many calls."""
import multiprocessing
import os
import pickle
import signal
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np

import satfilter
from common import Case

IMAGE = np.random.default_rng(2).integers(0, 256, (64, 64)).astype("u1")


class Stop(Exception):
    pass


def resident():
    """Bytes of memory of this process."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


LONG = satfilter.Filter("guided=9 guided=9")


def endless(image):
    """The image often enough for LONG to take seconds, in the memory of one, and a place for results."""
    out = np.empty((100_000, *image.shape), image.dtype)
    return np.broadcast_to(image, out.shape), out


class Life(Case):
    def test_pickles(self):
        for f in (satfilter.Filter("box=3 sauvola=31,k=0.2"), satfilter.Filter.of("box", size=(3, 5), border=7),
                  satfilter.Filter.of("template", rects=[(0, 0, 2, 3, 1.5)], border="mirror"),
                  satfilter.Filter.of("guided", size=5, guide=IMAGE[::-1]), satfilter.Filter.of("by", other=IMAGE),
                  satfilter.Filter.of("permute", order=np.arange(IMAGE.size)[::-1])):
            again = pickle.loads(pickle.dumps(f))
            self.assertEqual(again.spec, f.spec)
            self.assertEqual(again, f)
            self.assertEqual(hash(again), hash(f))
            np.testing.assert_array_equal(satfilter.filter(IMAGE, again), satfilter.filter(IMAGE, f))

    def test_equality(self):
        """Filters are equal that do the same by the same parameters and arrays."""
        F = satfilter.Filter
        order = np.arange(IMAGE.size)[::-1]
        for a, b in ((F("box=3x3"), F("box=3")), (F("box=5x3,at=1:0"), F.of("box", size=(3, 5), at=(0, 1))),
                     (F.of("by", other=IMAGE), F.of("by", other=IMAGE.copy())),
                     (F.of("permute", order=order), F.of("permute", order=order.reshape(64, 64).tolist()))):
            self.assertEqual(a, b)
            self.assertEqual(hash(a), hash(b))
            self.assertEqual(len({a, b}), 1)
        other = IMAGE.copy()
        other[3, 3] ^= 1
        for a, b in ((F("box=3"), F("box=5")), (F("box=3"), F("box=3 box=3")), (F("box=3"), "box=3"),
                     (F.of("by", other=IMAGE), F.of("by", other=other)),
                     (F.of("by", other=IMAGE), F.of("by", other=IMAGE.astype("u2"))),
                     (F.of("guided", size=3), F.of("guided", size=3, guide=IMAGE)),
                     (F.of("template", rects=[(0, 0, 2, 3, 1)]), F.of("template", rects=[(0, 0, 2, 3, 2)]))):
            self.assertNotEqual(a, b)
        files = [self.folder() / name for name in "ab"]
        for k, file in enumerate(files):
            file.write_text(f"0 0 3 {k + 1} 1\n")
        a, b, again = (F(f"template={file}") for file in (*files, files[0]))
        self.assertNotEqual(a, b)
        self.assertEqual(a, again)

    def test_arrays_of_filters(self):
        """A filter keeps copies: what becomes of the caller's arrays changes nothing."""
        guide = IMAGE.copy()
        f = satfilter.Filter.of("guided", size=5, guide=guide)
        want = satfilter.filter(IMAGE, f)
        guide[:] = 0
        np.testing.assert_array_equal(satfilter.filter(IMAGE, f), want)
        np.testing.assert_array_equal(satfilter.filter(IMAGE, pickle.loads(pickle.dumps(f))), want)

    def test_threads(self):
        f, want = satfilter.Filter("box=7 variance=5"), satfilter.filter(IMAGE, "box=7 variance=5")

        def work(_):
            return all(np.array_equal(satfilter.filter(IMAGE, f), want) for _ in range(50))

        with ThreadPoolExecutor(8) as pool:
            self.assertTrue(all(pool.map(work, range(32))))

    def test_threads_that_end(self):
        """They take their contexts along."""
        def run(count):
            for _ in range(count):
                thread = threading.Thread(target=satfilter.box, args=(IMAGE, 15))
                thread.start()
                thread.join()

        old = satfilter.set_threads(1)
        self.addCleanup(satfilter.set_threads, old)
        run(50)
        before = resident()
        run(500)
        self.assertLess(resident() - before, 4 << 20)

    def test_plan_outlives_its_thread(self):
        plans = []
        thread = threading.Thread(target=lambda: plans.append(satfilter.Plan("box=9", IMAGE)))
        thread.start()
        thread.join()
        np.testing.assert_array_equal(plans[0](IMAGE), satfilter.box(IMAGE, 9))

    def test_many_calls(self):
        out = np.empty_like(IMAGE)
        plan = satfilter.Plan("box=9", IMAGE)

        def calls(count):
            for i in range(count):
                satfilter.box(IMAGE, 3 + i % 5, out=out)
                satfilter.filter(IMAGE[:9], f"box={1 + i % 300}")  # more filters than are kept
                plan(IMAGE)
                if i % 20 == 0:
                    self.assertRaises(ValueError, satfilter.box, IMAGE, 0)
                    satfilter.box(IMAGE.astype("i4"), 3)
                    satfilter.read(satfilter.encode(IMAGE[:8, :8], "png"))

        calls(5_000)
        before = resident()
        calls(34_000)
        self.assertLess(resident() - before, 4 << 20)

    def test_fork(self):
        satfilter.box(np.tile(IMAGE, (16, 16)), 15)  # by all threads
        want = satfilter.box(IMAGE, 9)
        child = os.fork()
        if child == 0:
            same = np.array_equal(satfilter.box(IMAGE, 9), want)
            same = same and satfilter.box(np.tile(IMAGE, (16, 16)), 15).shape == (1024, 1024)
            os._exit(0 if same else 1)
        self.assertEqual(os.waitpid(child, 0)[1], 0)

    def test_processes(self):
        with multiprocessing.get_context("spawn").Pool(2) as pool:
            f = satfilter.Filter.of("box", size=9)
            made = pool.starmap(satfilter.filter, [(IMAGE, f), (IMAGE[::-1], f)])
        np.testing.assert_array_equal(made[0], satfilter.box(IMAGE, 9))

    def stopped(self, handler, work=lambda image, out: satfilter.filter(image, LONG, out=out), *args):
        """What Stop holds that the handler of a signal raises while a call has seconds of work."""
        def stop(*_):
            raise Stop(handler())

        old = signal.signal(signal.SIGALRM, stop)
        try:
            with self.assertRaises(Stop) as caught:
                signal.setitimer(signal.ITIMER_REAL, 0.2)
                work(*(args or endless(IMAGE)))
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, old)
        return caught.exception.args[0]

    def test_signals(self):
        """What a handler raises ends the call, and the next one is as ever."""
        self.stopped(lambda: None)
        np.testing.assert_array_equal(satfilter.box(IMAGE, 9), satfilter.Plan("box=9", IMAGE)(IMAGE))

    def test_calls_in_handlers(self):
        def handler():
            self.refuse(RuntimeError, "signal handler", satfilter.box, IMAGE, 3)

        self.stopped(handler)

    def test_one_thread_a_plan(self):
        image, out = endless(IMAGE)
        plan = satfilter.Plan(LONG, image, out=out)
        self.assertGreater(plan.bytes, 0)

        def other():
            with ThreadPoolExecutor(1) as pool:
                return pool.submit(plan, image).exception()

        raised = self.stopped(other, plan, image)
        self.assertIs(type(raised), RuntimeError)
        self.assertIn("two threads", str(raised))

    def test_the_lock_is_released(self):
        """Python runs while the library works."""
        ran = threading.Event()
        threading.Thread(target=ran.set).start()
        self.assertTrue(self.stopped(ran.is_set))

    def test_environment(self):
        """Another thread changes it meanwhile."""
        stop = threading.Event()

        def change():
            i = 0
            while not stop.is_set():
                i += 1
                os.environ[f"SATFILTER_TEST_{i % 500}"] = "x" * (i % 100)

        thread = threading.Thread(target=change)
        thread.start()
        try:
            for _ in range(300):
                satfilter.read(satfilter.encode(IMAGE, "png"))
                satfilter.Filter("box=3")
        finally:
            stop.set()
            thread.join()
            for name in [n for n in os.environ if n.startswith("SATFILTER_TEST_")]:
                del os.environ[name]
