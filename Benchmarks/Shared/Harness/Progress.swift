import Foundation

/// Says on standard error what is going on.
func progress(_ text: String) {
    FileHandle.standardError.write(Data("  \(text)\n".utf8))
}
