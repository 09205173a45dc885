/*
 * Frames in a CUDA device's memory, as a camera or a decoder leaves them, each through the filter:
 * by one plan on the caller's stream; in threads, each with a plan, a context and a stream; and by
 * graphs that the plan was captured into. Prints microseconds a frame.
 *
 *   camera box=15
 *
 * Exit status 1: an error, or a result of other bits than the CPU's; 77: there is no device.
 * Build: nvcc camera.cu $(pkg-config --cflags --libs satfilter)
 */
#include <chrono>
#include <cstdio>
#include <future>
#include <stdexcept>
#include <string>
#include <vector>

#include <satfilter.h>

enum { WIDTH = 1920, HEIGHT = 1080, CHANNELS = 3, FRAME_BYTES = WIDTH * HEIGHT * CHANNELS };
enum { FRAMES = 1000, RING = 4, THREADS = 4, BLOCK = 512 }; /* BLOCK divides FRAME_BYTES */

#define SATF(call) ((call) ? throw std::runtime_error(satf_message(ctx)) : (void)0)
#define CUDA(call) \
    ((call) ? throw std::runtime_error(cudaGetErrorString(cudaGetLastError())) : (void)0)

/* Stands for the camera: each number is another picture. */
__global__ void expose(void *frame, unsigned number)
{
    unsigned i = blockIdx.x * BLOCK + threadIdx.x;
    ((uint8_t *)frame)[i] = (uint8_t)((i + 977 * number) * 2654435761u >> 24);
}

/* What a thread has for itself. */
struct Lane {
    satf_context *ctx = nullptr;
    satf_filter *filter = nullptr;
    satf_plan *plan = nullptr;
    cudaStream_t stream = nullptr;
    cudaGraphExec_t graph[RING] = {};
    satf_view frame[RING] = {}, result[RING] = {};

    void open(const char *text)
    {
        satf_view in = satf_view_packed(nullptr, WIDTH, HEIGHT, CHANNELS, SATF_U8), out;
        in.device = SATF_CUDA(0);
        SATF(satf_context_create(&ctx));
        SATF(satf_filter_parse(ctx, text, &filter));
        SATF(satf_filter_output(ctx, filter, &in, &out));
        SATF(satf_plan_create(ctx, filter, &in, 1, &out, 1, &plan));
        CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
        SATF(satf_context_set_stream(ctx, stream));
        for (int i = 0; i < RING; i++) {
            frame[i] = in;
            result[i] = out;
            CUDA(cudaMalloc(&frame[i].data, FRAME_BYTES));
            CUDA(cudaMalloc(&result[i].data, out.stride * out.height));
            expose<<<FRAME_BYTES / BLOCK, BLOCK, 0, stream>>>(frame[i].data, i);
            CUDA(cudaPeekAtLastError());
        }
        run(RING); /* the driver loads kernels when they are first used */
        check("the first frames");
    }

    ~Lane()
    {
        cudaStreamSynchronize(stream);
        for (int i = 0; i < RING; i++) {
            cudaGraphExecDestroy(graph[i]); /* before the plan, whose memory it uses */
            cudaFree(frame[i].data);
            cudaFree(result[i].data);
        }
        satf_plan_destroy(plan);
        satf_filter_destroy(filter);
        satf_context_destroy(ctx);
        cudaStreamDestroy(stream); /* after the context, which uses it */
    }

    /* A graph for each buffer, since a graph keeps the addresses. */
    void capture()
    {
        for (int i = 0; i < RING; i++) {
            cudaGraph_t captured = nullptr;
            CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
            SATF(satf_plan_run(plan, &frame[i], 1, &result[i], 1));
            CUDA(cudaStreamEndCapture(stream, &captured));
            CUDA(cudaGraphInstantiate(&graph[i], captured, 0));
            CUDA(cudaGraphDestroy(captured));
            CUDA(cudaGraphUpload(graph[i], stream));
        }
    }

    /* Each filter is enqueued behind what fills its frame, and before the next frame there. */
    void run(int frames)
    {
        for (int f = 0; f < frames; f++) {
            int i = f % RING;
            if (graph[i]) {
                CUDA(cudaGraphLaunch(graph[i], stream));
            } else {
                SATF(satf_plan_run(plan, &frame[i], 1, &result[i], 1));
            }
        }
        CUDA(cudaStreamSynchronize(stream));
    }

    /* Compares all results with the CPU's, and spoils them for the next time. */
    void check(const char *way)
    {
        satf_view made = result[0];
        std::vector<uint8_t> pixels(FRAME_BYTES), got(made.stride * made.height), want(got.size());
        satf_view in = satf_view_packed(pixels.data(), WIDTH, HEIGHT, CHANNELS, SATF_U8);
        made.device = SATF_HOST;
        made.data = want.data();
        for (int i = 0; i < RING; i++) {
            CUDA(cudaMemcpy(pixels.data(), frame[i].data, pixels.size(), cudaMemcpyDefault));
            CUDA(cudaMemcpy(got.data(), result[i].data, got.size(), cudaMemcpyDefault));
            CUDA(cudaMemsetAsync(result[i].data, 0xA5, got.size(), stream));
            SATF(satf_filter_apply(ctx, filter, &in, &made));
            if (got != want) {
                throw std::runtime_error(std::string(way) + ": not the CPU's bits");
            }
        }
    }
};

/* Runs frames on so many lanes, each in a thread, and prints what one takes. */
static void measure(const char *way, Lane *lanes, int count)
{
    auto start = std::chrono::steady_clock::now();
    std::vector<std::future<void>> threads;
    for (int i = 0; i < count; i++) {
        threads.push_back(std::async(std::launch::async, &Lane::run, &lanes[i], FRAMES));
    }
    for (auto &thread : threads) {
        thread.get(); /* throws what the thread has thrown */
    }
    std::chrono::duration<double, std::micro> time = std::chrono::steady_clock::now() - start;
    for (int i = 0; i < count; i++) {
        lanes[i].check(way);
    }
    printf("%-10s %6.1f us a frame\n", way, time.count() / FRAMES / count);
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "use: camera FILTER\n");
        return 2;
    }
    try {
        Lane lanes[THREADS];
        for (Lane &lane : lanes) {
            lane.open(argv[1]);
        }
        measure("one plan", lanes, 1);
        measure("threads", lanes, THREADS);
        lanes[0].capture();
        measure("graphs", lanes, 1);
    } catch (const std::exception &error) {
        fprintf(stderr, "camera: %s\n", error.what());
        return satf_device_count() > 0 ? 1 : 77;
    }
    return 0;
}
