import Foundation

/// Lines that are edited on a terminal, or are read as they come where there is none.
struct LineInput {
    let prompt: String
    let words: (_ before: String) -> [String]

    /// Whether standard input and standard error are a terminal that can be edited on.
    static let isEditable =
        Terminal.hasInteractiveInput && Terminal.showsProgress
        && ProcessInfo.processInfo.environment["TERM"] != "dumb"

    /// The next line; nil at the end of the input.
    func next(history: [String]) -> String? {
        guard Self.isEditable, let mode = RawMode() else {
            if Terminal.hasInteractiveInput { Self.write(prompt) }
            return readLine()
        }
        // Only while a line is edited: commands are interrupted and print as in any terminal.
        defer { mode.end() }
        var editor = LineEditor(history: history, words: words)
        var decoder = KeyDecoder()
        draw(editor)
        while let byte = Self.readByte() {
            guard let key = decoder.take(byte) else { continue }
            let outcome = editor.press(key)
            switch outcome {
            case .editing:
                if !editor.choices.isEmpty {
                    Self.write("\r\n" + editor.choices.joined(separator: "  ") + "\r\n")
                }
                draw(editor)
            case .line(let line):
                Self.write("\r\n")
                return line
            case .interrupted:
                Self.write("^C\r\n")
                return ""
            case .endOfInput:
                Self.write("\r\n")
                return nil
            }
        }
        return nil
    }

    /// Writes the part of the line that fits beside the prompt, with the cursor in it.
    private func draw(_ editor: LineEditor) {
        let room = max((Terminal.width ?? 80) - prompt.count - 1, 8)
        var (start, before) = (editor.cursor, 0)
        while start > 0, before + editor.characters[start - 1].columns <= room {
            start -= 1
            before += editor.characters[start].columns
        }
        let shown = String(editor.characters[start...]).prefix(columns: room)
        let column = prompt.count + before
        Self.write("\r\(prompt)\(shown)\u{1B}[K\r\u{1B}[\(column)C")
    }

    private static func readByte() -> UInt8? {
        var byte: UInt8 = 0
        while true {
            let count = read(STDIN_FILENO, &byte, 1)
            if count == 1 { return byte }
            // A signal, such as that of a window that was resized, is no end.
            if count == 0 || errno != EINTR { return nil }
        }
    }

    private static func write(_ text: String) {
        Terminal.prompt(text)
    }
}

/// A terminal that passes on every key as it is pressed, and shows none.
struct RawMode {
    private let before: termios

    init?() {
        var state = termios()
        guard tcgetattr(STDIN_FILENO, &state) == 0 else { return nil }
        before = state
        state.c_lflag &= ~tcflag_t(ICANON | ECHO | ISIG | IEXTEN)
        state.c_iflag &= ~tcflag_t(ICRNL | IXON)
        guard tcsetattr(STDIN_FILENO, TCSADRAIN, &state) == 0 else { return nil }
    }

    func end() {
        var state = before
        tcsetattr(STDIN_FILENO, TCSADRAIN, &state)
    }
}
