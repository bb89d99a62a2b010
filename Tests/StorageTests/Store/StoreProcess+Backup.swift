import Testing

@testable import Storage

extension StoreProcess {
    static let backupPath = "backup.realm"

    @discardableResult
    func backUp(
        to files: any FileSystem, _ path: String = backupPath,
        monitor: ReadingMonitor = ReadingMonitor()
    ) throws -> StoreBackup.Outcome {
        try engine.backUp(to: files, directory: path, monitor: monitor)
    }

    /// The contents of a backup, which must be valid.
    static func contents(
        _ files: any FileSystem, _ path: String = backupPath,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> [Int64: Row] {
        let reading = try StoreProcess(files, directory: path, isShared: false) {
            $0.readOnly = true
        }
        let found = reading.contents
        #expect(try reading.problems() == [], sourceLocation: sourceLocation)
        await reading.close()
        return found
    }

    /// Expects that a backup is valid, and has these rows.
    static func check(
        _ files: any FileSystem, _ directory: String, is contents: [Int64: Row],
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let found = try await Self.contents(files, directory, sourceLocation: sourceLocation)
        #expect(found == contents, sourceLocation: sourceLocation)
    }
}
