#if os(Linux) || os(macOS)
    import Foundation

    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #else
        import Darwin
    #endif

    /// This test program, started once more with the one test that writes until it is killed.
    struct KillChild {
        static let environment = ProcessInfo.processInfo.environment
        private static let variable = "REALM_KILL_CHILD"
        private static let prefix = "acknowledged "

        /// In the child, the store that it writes to.
        static var storePath: String? { environment[variable] }

        /// In the child, tells the parent. One line is one write, so it arrives whole or not
        /// at all.
        static func acknowledge(_ number: Int) {
            FileHandle.standardOutput.write(Data("\n\(prefix)\(number)\n".utf8))
        }

        private let process = Process()
        private let output = Pipe()

        init(path: String) throws {
            process.executableURL = URL(fileURLWithPath: Self.executable)
            process.arguments = Self.arguments
            process.environment = Self.environment.merging([Self.variable: path]) { _, new in new }
            process.standardOutput = output
            process.standardError = FileHandle.nullDevice
            try process.run()
        }

        /// Kills the process some time after its first acknowledgement, or after its start, and
        /// returns what it acknowledged.
        func killed(afterFirst waits: Bool, seconds: Double) async throws -> [Int] {
            let id = process.processIdentifier
            let reader = output.fileHandleForReading
            let text = await withCheckedContinuation { continuation in
                // Reading from a pipe blocks: not for the cooperative pool.
                Thread.detachNewThread {
                    var data = Data()
                    if waits {
                        while data.range(of: Data(Self.prefix.utf8)) == nil {
                            let more = reader.availableData
                            if more.isEmpty { break }
                            data += more
                        }
                    }
                    Thread.sleep(forTimeInterval: seconds)
                    kill(id, SIGKILL)
                    data += reader.readDataToEndOfFile()
                    continuation.resume(returning: String(decoding: data, as: UTF8.self))
                }
            }
            process.waitUntilExit()
            return text.split(separator: "\n").compactMap { line in
                line.hasPrefix(Self.prefix) ? Int(line.dropFirst(Self.prefix.count)) : nil
            }
        }

        private static var executable: String {
            #if os(Linux)
                "/proc/self/exe"
            #else
                CommandLine.arguments[0]
            #endif
        }

        /// On macOS a helper of the package manager loads the bundle that it is given.
        private static var arguments: [String] {
            var arguments: [String] = []
            let own = CommandLine.arguments
            if let index = own.firstIndex(of: "--test-bundle-path"), index + 1 < own.count {
                arguments += [own[index], own[index + 1], own[index + 1]]
            }
            return arguments + [
                "--testing-library", "swift-testing", "--filter", "childWritesUntilItIsKilled",
            ]
        }
    }
#endif
