#if S3
    /// The object of a log with the first slots that are retained. It is raised before anything is
    /// removed, and never lowered.
    struct S3Base: Sendable, Hashable {
        private static let title = "RealmActors shared log"
        static let format = 1

        /// The identifier of the log, which distinguishes it from earlier ones of its name; empty
        /// if an earlier version of this package has written the base.
        var log = ""
        /// The oldest entry that is kept.
        var entries = LogSlot.first
        /// The oldest image that is kept.
        var images = LogSlot.first

        /// The text of the object.
        var encoded: [UInt8] {
            let lines = [
                Self.title + (log.isEmpty ? "" : " " + log) + ", format \(Self.format)",
                "entries \(S3Layout.digits(entries.rawValue))",
                "images \(S3Layout.digits(images.rawValue))",
            ]
            return Array(lines.map { $0 + "\n" }.joined().utf8)
        }

        init(log: String = "") { self.log = log }

        /// Whether it is still the base of a log, as far as known: not if an earlier version of
        /// this package has raised it.
        func isOfLog(_ known: String) -> Bool { log.isEmpty || log == known }

        init(_ body: [UInt8]) throws(SharedLogError) {
            let lines = String(decoding: body, as: UTF8.self).split(separator: "\n")
            let words = lines.map { $0.split(separator: " ") }
            guard let first = lines.first, first.hasPrefix(Self.title), let format = words[0].last
            else { throw .refused("The object at this name is not the log of a realm.") }
            guard format == "\(Self.format)" else {
                throw .refused(
                    "The log of the realm has format \(Int(format) ?? 0), which is not known.")
            }
            let slots = LogSlot.first...LogSlot.last
            guard words.count == 3, words[1].count == 2, words[2].count == 2,
                words[1][0] == "entries", words[2][0] == "images",
                let entries = UInt64(words[1][1], radix: 16).map({ LogSlot($0) }),
                let images = UInt64(words[2][1], radix: 16).map({ LogSlot($0) }),
                slots.contains(entries), slots.contains(images)
            else { throw .refused("The base of the realm's log is invalid.") }
            log = String(first.dropFirst(Self.title.count).prefix { $0 != "," }.drop { $0 == " " })
            self.entries = entries
            self.images = images
        }
    }
#endif
