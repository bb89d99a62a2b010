import Foundation
import Synchronization

/// A line that says how far something is, where standard error is a terminal.
final class ProgressLine: Sendable {
    private let title: String
    private let shown = Mutex<Int>(-1)
    /// Whether a line was begun that has not ended.
    private static let isOpen = Mutex<Bool>(false)

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
    func end() { Self.endOpen() }

    /// Ends the line of a command that has failed, so that the error begins on a new line.
    static func endOpen() {
        let wasOpen = isOpen.withLock { isOpen in
            defer { isOpen = false }
            return isOpen
        }
        if wasOpen { Terminal.prompt("\n") }
    }

    private func advance(_ percent: Int) -> Bool {
        shown.withLock { shown in
            defer { shown = percent }
            return shown != percent
        }
    }

    private func write(_ text: String) {
        Self.isOpen.withLock { $0 = true }
        Terminal.prompt(text)
    }
}
