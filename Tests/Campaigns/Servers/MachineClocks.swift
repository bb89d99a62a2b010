#if os(Linux) && PostgreSQL
    import Foundation
    import StorageHarness

    /// Wall clocks of the machines of a campaign, which are changed while programs run there.
    ///
    /// A kernel has one for all of them. So a program is run with a library in front of libc, which
    /// adds an offset from a file of the machine to each reading. Waits by that clock become longer
    /// or shorter when it is changed, as with the clock of the kernel. Monotonic clocks are not
    /// changed.
    final class MachineClocks {
        private let folder: String
        /// The offset of each machine, in nanoseconds.
        private var shifts: [Int: Int64] = [:]

        private static let compiler = "/usr/bin/cc"

        /// Whether there is a compiler for the library.
        static let isPossible = FileManager.default.isExecutableFile(atPath: compiler)

        /// Keeps its files in a folder of the campaign.
        init(in folder: String, machines: Range<Int>) throws {
            self.folder = folder
            let source = folder + "/clock.c"
            try Self.source.write(toFile: source, atomically: false, encoding: .utf8)
            let names = machines.map { "\($0)" }.joined(separator: " ")
            // The user of the servers reads them as well.
            let script = """
                umask 022
                \(Self.compiler) -shared -fPIC -O2 -o \(library) \(source)
                for machine in \(names); do
                    head -c 8 /dev/zero > \(folder)/clock-$machine
                done
                """
            try Program.run(["/bin/sh", "-ec", script])
        }

        private var library: String { folder + "/clock.so" }

        private func file(of machine: Int) -> String { "\(folder)/clock-\(machine)" }

        /// The command that runs another one with the clock of a machine.
        func command(on machine: Int, _ command: [String]) -> [String] {
            [
                "/usr/bin/env", "LD_PRELOAD=\(library)",
                "MACHINE_CLOCK=\(file(of: machine))",
            ] + command
        }

        /// Sets the clock of a machine forward, or back.
        func jump(_ machine: Int, bySeconds seconds: Int) throws {
            let shift = shifts[machine, default: 0] + Int64(seconds) * 1_000_000_000
            shifts[machine] = shift
            let url = URL(fileURLWithPath: file(of: machine))
            let handle = try FileHandle(forWritingTo: url)
            defer { try? handle.close() }
            // In place: programs have mapped the file. Unsafe: lent for the call.
            try handle.write(contentsOf: withUnsafeBytes(of: shift) { Data($0) })
        }

        /// Dispatch waits on semaphores with a limit by the wall clock: here in short intervals, so
        /// that a change takes effect at once.
        private static let source = """
            #define _GNU_SOURCE
            #include <errno.h>
            #include <fcntl.h>
            #include <semaphore.h>
            #include <stdint.h>
            #include <stdlib.h>
            #include <sys/mman.h>
            #include <sys/syscall.h>
            #include <sys/time.h>
            #include <time.h>
            #include <unistd.h>

            static const int64_t SECOND = 1000000000;
            static const int64_t PIECE = 20000000;

            static const int64_t *shift;

            __attribute__((constructor)) static void begin(void) {
                const char *path = getenv("MACHINE_CLOCK");
                int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
                if (file < 0) return;
                void *page = mmap(0, sizeof *shift, PROT_READ, MAP_SHARED, file, 0);
                close(file);
                if (page != MAP_FAILED) shift = page;
            }

            static int64_t nanoseconds(const struct timespec *time) {
                return time->tv_sec * SECOND + time->tv_nsec;
            }

            static struct timespec spec(int64_t time) {
                return (struct timespec){.tv_sec = time / SECOND, .tv_nsec = time % SECOND};
            }

            int clock_gettime(clockid_t clock, struct timespec *time) {
                int status = syscall(SYS_clock_gettime, clock, time);
                int is_wall = clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE;
                if (status == 0 && is_wall && shift)
                    *time = spec(nanoseconds(time) + __atomic_load_n(shift, __ATOMIC_RELAXED));
                return status;
            }

            int gettimeofday(struct timeval *restrict value, void *restrict zone) {
                struct timespec time;
                clock_gettime(CLOCK_REALTIME, &time);
                *value = (struct timeval){.tv_sec = time.tv_sec, .tv_usec = time.tv_nsec / 1000};
                if (zone) *(struct timezone *)zone = (struct timezone){0};
                return 0;
            }

            time_t time(time_t *value) {
                struct timespec time;
                clock_gettime(CLOCK_REALTIME, &time);
                if (value) *value = time.tv_sec;
                return time.tv_sec;
            }

            int sem_timedwait(sem_t *restrict semaphore, const struct timespec *restrict end) {
                while (1) {
                    struct timespec wall, time;
                    clock_gettime(CLOCK_REALTIME, &wall);
                    clock_gettime(CLOCK_MONOTONIC, &time);
                    int64_t rest = nanoseconds(end) - nanoseconds(&wall);
                    if (rest < 0) rest = 0;
                    int64_t piece = rest < PIECE ? rest : PIECE;
                    time = spec(nanoseconds(&time) + piece);
                    int status = sem_clockwait(semaphore, CLOCK_MONOTONIC, &time);
                    if (status == 0 || errno != ETIMEDOUT || piece == rest) return status;
                }
            }

            """
    }
#endif
