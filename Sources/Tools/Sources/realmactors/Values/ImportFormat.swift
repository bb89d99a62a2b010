import ArgumentParser
import Foundation

/// The format of an imported file.
enum ImportFormat: String, ExpressibleByArgument, CaseIterable {
    case jsonl, json, csv

    /// The format that the ending of a file names, in any case.
    init?(endingOf file: URL) { self.init(rawValue: file.pathExtension.lowercased()) }
}
