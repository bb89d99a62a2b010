package import Foundation

/// A file of comma-separated values, read whole.
package struct CSVFile: Sendable {
    package let name: String
    package let bytes: [UInt8]

    package init(name: String, bytes: [UInt8]) {
        self.name = name
        self.bytes = bytes
    }

    /// Reads `name` in `folder`.
    package init(name: String, in folder: URL) throws(CSVError) {
        let url = folder.appendingPathComponent(name)
        do {
            self.init(name: name, bytes: [UInt8](try Data(contentsOf: url)))
        } catch {
            let isThere = FileManager.default.fileExists(atPath: url.path)
            let reason = isThere ? "cannot be read: \(error)" : "there is no such file"
            throw CSVError(file: name, line: nil, reason: "\(reason) (in \(folder.path))")
        }
    }

    /// True when `folder` has a file of that name.
    package static func exists(_ name: String, in folder: URL) -> Bool {
        FileManager.default.fileExists(atPath: folder.appendingPathComponent(name).path)
    }

    /// A cursor that stands before the first row; reads the header.
    package func reader() throws(CSVError) -> CSVReader {
        try CSVReader(self)
    }
}
