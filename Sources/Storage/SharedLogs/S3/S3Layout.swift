#if S3
    /// The names of a realm's objects, each prefixed with the name of the realm.
    ///
    ///     base                            the first retained slots: S3Base
    ///     chunks/<slot>/<attempt>/<part>  a part of an image
    ///     entries/<slot>                  an entry
    ///     images/<slot>                   an image that is complete: S3Manifest
    ///     messages/<time>-<random>        a message of a host
    ///     probe/<random>                  a test of conditional writes
    ///
    /// Numbers have 16 hexadecimal digits, so that names sort like numbers. Entries, images and
    /// messages follow each other, so that one list from an entry on has everything new.
    struct S3Layout: Sendable {
        /// A name may have up to 1,024 bytes.
        private static let prefixMax = 900

        let prefix: String

        /// - Throws: ``SharedLogError/refused(_:)`` for a name that is not suitable for objects.
        init(realm: String) throws(SharedLogError) {
            guard !realm.isEmpty, realm.utf8.count <= 512, !realm.utf8.contains(0) else {
                throw .refused("The name of the realm must have 1 to 512 bytes, none of them zero.")
            }
            // Neither a single dot nor a slash, which have a meaning in addresses; the realms "a"
            // and "a/entries" would share names. The remaining characters are never
            // percent-encoded, so that no proxy can encode them differently from the signature.
            let encoded = S3Request.encoded(realm).replacing("_", with: "_5F")
                .replacing("%", with: "_").replacing(".", with: "_2E").replacing("~", with: "_7E")
            guard encoded.utf8.count <= Self.prefixMax else {
                throw .refused(
                    "The name of the realm is too long: it has too many special characters.")
            }
            prefix = encoded + "/"
        }

        var base: String { prefix + "base" }
        var entries: String { prefix + "entries/" }
        var images: String { prefix + "images/" }
        var chunks: String { prefix + "chunks/" }
        var messages: String { prefix + "messages/" }

        /// A new name each time.
        var probe: String { prefix + "probe/" + Self.random() }

        func entry(_ slot: LogSlot) -> String { entries + Self.digits(slot.rawValue) }

        /// The name after which those of a slot and all later ones sort.
        func name(before slot: LogSlot) -> String {
            slot.rawValue == 0 ? entries : entry(LogSlot(slot.rawValue - 1))
        }

        func image(_ slot: LogSlot) -> String { images + Self.digits(slot.rawValue) }

        func chunks(of slot: LogSlot, attempt: String) -> String {
            chunks + Self.digits(slot.rawValue) + "/\(attempt)/"
        }

        func chunk(_ part: Int, of slot: LogSlot, attempt: String) -> String {
            chunks(of: slot, attempt: attempt) + Self.digits(UInt64(part))
        }

        /// Messages of one host are in the order of their times; the number distinguishes those of
        /// the same time.
        func message(_ milliseconds: UInt64, _ number: UInt64) -> String {
            messages + Self.digits(milliseconds) + "-" + Self.digits(number) + "-" + Self.random()
        }

        /// The slot in the name of an entry, an image or a part of one; nil for other objects, such
        /// as one with the number of no slot.
        func slot(of key: String, in folder: String) -> LogSlot? {
            guard key.hasPrefix(folder) else { return nil }
            let digits = key.dropFirst(folder.count).prefix(16)
            guard digits.utf8.count == 16, let number = UInt64(digits, radix: 16) else {
                return nil
            }
            return LogSlot(checking: number)
        }

        static func digits(_ number: UInt64) -> String {
            let digits = String(number, radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }

        static func random() -> String { digits(.random(in: 0 ... .max)) }
    }
#endif
