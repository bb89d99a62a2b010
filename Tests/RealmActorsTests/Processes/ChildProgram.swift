import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A program that runs beside the tests, and what it says into files: a pipe that nobody drains
/// would stop a talkative one.
///
/// Not Foundation's `Process`: on Linux, up to Swift 6.3, that reads behind its list of this
/// process's open files when there are more than 1,300 of them, as there are while all tests run at
/// once, and then brings all of them down (swift-corelibs-foundation 5472).
struct ChildProgram: Sendable {
    var executable: URL
    var arguments: [String]
    /// What differs from this process's environment.
    var environment: [String: String] = [:]

    /// Why a program did not begin.
    struct NotStarted: Error, CustomStringConvertible {
        let description: String
    }

    /// Runs the program to its end, for which no thread of the pool waits.
    ///
    /// - Returns: what it exits with; the negative number of the signal that ended it.
    func run(output: String = "/dev/null", errors: String = "/dev/null") async throws -> Int32 {
        let process = try start(output: output, errors: errors)
        return await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: Self.end(of: process)) }
        }
    }

    private func start(output: String, errors: String) throws -> pid_t {
        #if canImport(Darwin)
            var files: posix_spawn_file_actions_t?
        #else
            var files = posix_spawn_file_actions_t()
        #endif
        posix_spawn_file_actions_init(&files)
        defer { posix_spawn_file_actions_destroy(&files) }
        for (number, path) in [(Int32(1), output), (Int32(2), errors)] {
            posix_spawn_file_actions_addopen(&files, number, path, O_WRONLY | O_CREAT, 0o600)
        }
        let variables = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        // Unsafe: both lists end with a null, and are copied by the system before they are freed.
        let words = ([executable.path] + arguments).map { strdup($0) } + [nil]
        let settings = variables.map { strdup("\($0)=\($1)") } + [nil]
        defer { for text in words + settings { free(text) } }
        var process = pid_t()
        let failure = posix_spawn(&process, executable.path, &files, nil, words, settings)
        guard failure == 0 else {
            throw NotStarted(
                description: "\(executable.path): \(String(cString: strerror(failure)))")
        }
        return process
    }

    private static func end(of process: pid_t) -> Int32 {
        var status: Int32 = 0
        while waitpid(process, &status, 0) == -1, errno == EINTR {}
        let signal = status & 0x7F
        return signal == 0 ? (status >> 8) & 0xFF : -signal
    }
}
