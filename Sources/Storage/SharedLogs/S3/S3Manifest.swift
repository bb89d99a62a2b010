#if S3
    /// The object that completes an image: it is written once, after all parts.
    struct S3Manifest: Sendable, Hashable {
        private static let title = "RealmActors image"

        let image: SharedLogImage
        /// Distinguishes its parts from those of another host's image of this slot.
        let attempt: String

        init(_ image: SharedLogImage, attempt: String) {
            self.image = image
            self.attempt = attempt
        }

        /// The text of the object.
        var encoded: [UInt8] {
            Array("\(Self.title) \(attempt) \(image.parts) \(image.bytes)\n".utf8)
        }

        /// Nil for any other text.
        init?(_ body: [UInt8], slot: LogSlot) {
            let words = String(decoding: body, as: UTF8.self).split(whereSeparator: \.isWhitespace)
            guard words.count == 5, words[0] + " " + words[1] == Self.title,
                words[2].utf8.count == 16, UInt64(words[2], radix: 16) != nil,
                let parts = Int(words[3]), parts > 0, let bytes = Int(words[4]), bytes >= 0
            else { return nil }
            image = SharedLogImage(slot: slot, parts: parts, bytes: bytes)
            attempt = String(words[2])
        }
    }
#endif
