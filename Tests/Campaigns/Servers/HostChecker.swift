#if os(Linux) && PostgreSQL
    import Foundation
    import StorageHarness

    /// The program `hostchecker`, which is beside this one.
    enum HostChecker {
        /// Checks the reports of the hosts in a folder; returns a summary of them.
        ///
        /// - Throws: ``Violation`` for an inconsistency.
        static func check(_ folder: String) throws -> String {
            let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
            let program = (own as NSString).deletingLastPathComponent + "/hostchecker"
            let output = folder + "/verdict"
            let status = try Program.wait(for: Program.start([program, folder], output: output))
            let verdict = try String(contentsOfFile: output, encoding: .utf8)
                .trimmingCharacters(in: .whitespacesAndNewlines)
            switch status {
            case 0: return verdict
            // It has exited with 1.
            case 256: throw Violation(verdict)
            default:
                throw Program.Failure(
                    description: "\(program) has ended with \(status): \(verdict)")
            }
        }
    }
#endif
