import Foundation

/// Standard output and standard error, and the properties of their terminal.
enum Terminal {
    /// Whether standard output is a terminal.
    static let isInteractive = isatty(STDOUT_FILENO) == 1
    /// Whether standard error is a terminal.
    static let showsProgress = isatty(STDERR_FILENO) == 1
    /// Whether standard input is a terminal, at which a question can be answered.
    static let hasInteractiveInput = isatty(STDIN_FILENO) == 1

    /// Whether colours are wanted: https://no-color.org.
    static let hasColours =
        isInteractive && (ProcessInfo.processInfo.environment["NO_COLOR"] ?? "").isEmpty
        && ProcessInfo.processInfo.environment["TERM"] != "dumb"

    /// How many columns a line has; nil when output is not limited.
    static var width: Int? {
        let given = ProcessInfo.processInfo.environment["COLUMNS"].flatMap { Int($0) }
        if let given, given > 0 { return given }
        var size = winsize()
        guard isInteractive, ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0
        else { return nil }
        return Int(size.ws_col)
    }

    /// Opens those of the three standard files that are closed, in a way that fails as before. The
    /// next file that is opened, of a store perhaps, would be one of them otherwise, and get what
    /// is written there.
    static func reserveStandardFiles() {
        for file in STDIN_FILENO...STDERR_FILENO where fcntl(file, F_GETFD) < 0 {
            // The other way round than it is used, which fails as if it were closed.
            _ = open("/dev/null", file == STDIN_FILENO ? O_WRONLY : O_RDONLY)
        }
    }

    /// Writes a line to standard output.
    static func say(_ line: String) {
        do {
            try FileHandle.standardOutput.write(contentsOf: Data((line + "\n").utf8))
        } catch {
            ExitStatus.leave(after: ToolError.unwritable(error))
        }
    }

    /// Writes a line to standard error, for people.
    static func note(_ line: String) {
        ProgressLine.endOpen()
        prompt(line + "\n")
    }

    /// Writes to standard error; a failure is ignored.
    static func prompt(_ text: String) {
        try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
    }

    /// Writes an error to standard error.
    static func complain(_ error: any Error) { note(Cell.visibleLines("error: \(error)")) }

    static func bold(_ text: String) -> String {
        hasColours ? "\u{1B}[1m\(text)\u{1B}[0m" : text
    }

    static func dim(_ text: String) -> String {
        hasColours ? "\u{1B}[2m\(text)\u{1B}[0m" : text
    }

    /// Asks whether to continue; `isAnswered` is the flag that answers in advance.
    ///
    /// - Throws: when the answer is no, and without a terminal.
    static func confirm(_ question: String, isAnswered: Bool) throws {
        if isAnswered { return }
        guard hasInteractiveInput else {
            throw ToolError(.declined, "\(question) Nothing was changed. Give --yes to confirm.")
        }
        prompt("\(question) [y/N] ")
        let answer = readLine()?.lowercased() ?? ""
        if answer == "y" || answer == "yes" { return }
        throw ToolError(.declined, "Nothing was changed.")
    }
}

/// Bytes for people.
func readable(bytes: Int) -> String {
    var (value, units) = (Double(bytes), ["KiB", "MiB", "GiB", "TiB"][...])
    if bytes < 1024 { return "\(bytes) bytes" }
    var unit = ""
    while value >= 1024, let next = units.popFirst() { (value, unit) = (value / 1024, next) }
    return String(format: "%.1f %@", value, unit)
}
