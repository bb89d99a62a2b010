#if PostgreSQL
    /// Names on a server for texts of any characters and length.
    enum PostgresName {
        /// Two hashes of the text, which identify it.
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
