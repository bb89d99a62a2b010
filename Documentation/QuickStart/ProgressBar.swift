import Foundation
import Synchronization

/// A bar on standard error that fills while something runs. It is drawn in place on a terminal;
/// elsewhere (a log, a pipe) it prints a line per quarter.
final class ProgressBar: Sendable {
    private let title: String
    private let isTerminal = isatty(STDERR_FILENO) == 1
    private let shownSteps = Mutex(-1)

    init(_ title: String) { self.title = title }

    /// Shows a share between 0 and 1; cheap when nothing new is to be seen.
    func show(_ share: Double) {
        let steps = isTerminal ? 40 : 4
        let step = Int(min(max(share, 0), 1) * Double(steps))
        let isNew = shownSteps.withLock { shown in
            defer { shown = max(shown, step) }
            return step > shown
        }
        guard isNew else { return }
        let percent = "\(step * 100 / steps)".right(3)
        if isTerminal {
            let filled = String(repeating: "#", count: step)
            let end = step == steps ? "\n" : ""
            write("\r\(title) [\(filled.left(steps))] \(percent) %\(end)")
        } else {
            write("\(title) \(percent) %\n")
        }
    }

    private func write(_ text: String) {
        FileHandle.standardError.write(Data(text.utf8))
    }
}
