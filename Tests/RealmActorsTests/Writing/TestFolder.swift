import Foundation

/// Where the stores of a test run stand: a folder of its own, which goes with the process.
enum TestFolder {
    private static let root: String = {
        let root = NSTemporaryDirectory() + "realmactors-tests-\(UUID().uuidString)"
        try? FileManager.default.createDirectory(
            atPath: root, withIntermediateDirectories: true)
        atexit { try? FileManager.default.removeItem(atPath: TestFolder.root) }
        return root
    }()

    /// A path at which nothing stands.
    static func path(_ name: String) -> String { "\(root)/\(name)-\(UUID().uuidString)" }
}
