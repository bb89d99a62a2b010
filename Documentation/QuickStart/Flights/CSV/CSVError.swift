/// What is wrong with a file of comma-separated values, and where.
package struct CSVError: Error, Equatable, CustomStringConvertible {
    /// The file's name, without its folder.
    package let file: String
    /// The line, counted from 1; nil when the file as a whole is meant.
    package let line: Int?
    /// What was found and what was expected.
    package let reason: String

    package init(file: String, line: Int?, reason: String) {
        self.file = file
        self.line = line
        self.reason = reason
    }

    package var description: String {
        guard let line else { return "\(file): \(reason)" }
        return "\(file):\(line): \(reason)"
    }
}
