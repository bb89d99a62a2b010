#if PostgreSQL
    /// What a server knows something by that is described by a text of any letters and length.
    enum PostgresName {
        /// Two hashes of the text: the same for the same one, and of no other one.
        static func of(_ text: String) -> String {
            let halves = (0..<2).map { seed in
                // Unsafe: lent for the call.
                let hash = Array(text.utf8).withUnsafeBytes {
                    XXH64.hash($0, seed: UInt64(seed))
                }
                return String(hash, radix: 36)
            }
            return "realmactors_" + halves.joined(separator: "_")
        }
    }
#endif
