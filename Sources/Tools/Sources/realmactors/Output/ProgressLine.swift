import Foundation
import Synchronization

/// A line on standard error that says how far something is, where somebody looks at it.
final class ProgressLine: Sendable {
    private let title: String
    private let shown = Mutex<Int>(-1)

    init(_ title: String) { self.title = title }

    /// Shows a part from 0 to 1.
    func show(_ part: Double) {
        let percent = Int(part * 100)
        guard Terminal.showsProgress, advance(percent) else { return }
        write("\r\(title) \(bar(percent))")
    }

    /// Shows how many were done so far and how quickly, and what part of all where that is known.
    func show(_ count: Int, of part: Double?, since start: ContinuousClock.Instant) {
        guard Terminal.showsProgress else { return }
        let seconds = max((ContinuousClock.now - start) / .seconds(1), 0.001)
        let rate = "\(count), \(Int(Double(count) / seconds)) per second "
        write("\r\(title) \(part.map { bar(Int($0 * 100)) + " " } ?? "")\(rate)")
    }

    private func bar(_ percent: Int) -> String {
        let filled = percent * 30 / 100
        let bar = String(repeating: "#", count: filled) + String(repeating: ".", count: 30 - filled)
        return "[\(bar)] \(percent) %"
    }

    /// Ends the line.
    func end() { if Terminal.showsProgress { write("\n") } }

    private func advance(_ percent: Int) -> Bool {
        shown.withLock { shown in
            defer { shown = percent }
            return shown != percent
        }
    }

    private func write(_ text: String) { Terminal.prompt(text) }
}
