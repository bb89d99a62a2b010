import RealmActors

/// What encryption costs, beside the same work on a plain realm. Both take turns, so that the
/// state of the machine is the same for them.
#if canImport(CryptoKit) || Encryption
    let encryptedWorkloads: [Workload<Bench>] = [
        Workload("w01_insert_encrypted", "w05_pk_encrypted") { bench in
            let count = bench.count
            var inserts: [Double] = []
            var lookups: [Double] = []
            for _ in 0..<3 {
                let plain = try await bench.freshRealm("plain")
                let plainSeconds = try await insert(count, into: plain) { $0 }
                let sealed = try await bench.freshRealm("sealed", encryptionKey: .random())
                let sealedSeconds = try await insert(count, into: sealed) { $0 }
                inserts.append(sealedSeconds / plainSeconds)
                lookups.append(try ratio(ofLookupsIn: sealed, to: plain, count: count))
                try await bench.discard(plain)
                try await bench.discard(sealed)
            }
            return [
                Measurement("w01_insert_encrypted", inserts.median, "x plain", check: .note("")),
                Measurement("w05_pk_encrypted", lookups.median, "x plain", check: .note("")),
            ]
        }
    ]

    /// How long lookups of objects in memory take in one realm for each second in the other.
    private func ratio(ofLookupsIn sealed: Realm, to plain: Realm, count: Int) throws -> Double {
        struct WrongAnswer: Error {}
        let expected = Answers.expected(count).keyLookups
        func seconds(_ realm: Realm) throws -> Double {
            let snapshot = realm.snapshot()
            var best = Double.infinity
            // The first round reads the nodes.
            for _ in 0..<4 {
                let (seconds, sum) = timed { lookUpByKey(count, in: snapshot) }
                if sum != expected { throw WrongAnswer() }
                best = min(best, seconds)
            }
            return best
        }
        return try seconds(sealed) / seconds(plain)
    }
#else
    let encryptedWorkloads: [Workload<Bench>] = []
#endif
