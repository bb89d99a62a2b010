#if S3
    /// The names of a realm's objects, each behind the name of the realm.
    ///
    ///     base                            what is still there: S3Base
    ///     chunks/<slot>/<attempt>/<part>  a part of an image
    ///     entries/<slot>                  an entry
    ///     images/<slot>                   an image that is complete: S3Manifest
    ///     messages/<time>-<random>        what a host has sent
    ///     probe/<random>                  what shows that the storage keeps conditions
    ///
    /// Numbers are of 16 hexadecimal digits, so that names and numbers have one order. What is
    /// polled for follows each other: one list from an entry on has all that is new.
    struct S3Layout: Sendable {
        /// A name may have 1,024 bytes.
        private static let prefixMax = 900

        let prefix: String

        /// - Throws: ``SharedLogError/refused(_:)`` for a name that makes none of objects.
        init(realm: String) throws(SharedLogError) {
            guard !realm.isEmpty, realm.utf8.count <= 512, !realm.utf8.contains(0) else {
                throw .refused("The name of the realm has 1 to 512 bytes, and no zero.")
            }
            // Neither a dot alone nor a slash: both have a meaning in addresses, and the realms "a"
            // and "a/entries" would share names. What is left no address encodes, so that nobody
            // on the way can encode it otherwise than the signature has it.
            let encoded = S3Request.encoded(realm).replacing("_", with: "_5F")
                .replacing("%", with: "_").replacing(".", with: "_2E").replacing("~", with: "_7E")
            guard encoded.utf8.count <= Self.prefixMax else {
                throw .refused("The name of the realm is too long: it has too many signs.")
            }
            prefix = encoded + "/"
        }

        var base: String { prefix + "base" }
        var entries: String { prefix + "entries/" }
        var images: String { prefix + "images/" }
        var chunks: String { prefix + "chunks/" }
        var messages: String { prefix + "messages/" }

        /// One of its own each time.
        var probe: String { prefix + "probe/" + Self.random() }

        func entry(_ slot: LogSlot) -> String { entries + Self.digits(slot.rawValue) }

        /// The name behind which that of a slot comes, and those of all later ones.
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
        /// the same one.
        func message(_ milliseconds: UInt64, _ number: UInt64) -> String {
            messages + Self.digits(milliseconds) + "-" + Self.digits(number) + "-" + Self.random()
        }

        /// The slot that the name of an entry, an image or a part of one has.
        func slot(of key: String, in folder: String) -> LogSlot? {
            guard key.hasPrefix(folder) else { return nil }
            let digits = key.dropFirst(folder.count).prefix(16)
            return digits.utf8.count == 16 ? UInt64(digits, radix: 16).map { LogSlot($0) } : nil
        }

        static func digits(_ number: UInt64) -> String {
            let digits = String(number, radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }

        static func random() -> String { digits(.random(in: 0 ... .max)) }
    }
#endif
