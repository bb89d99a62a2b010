#if os(Linux)
    import Foundation
    import RealmActors
    import Testing

    /// Which processes have a store open, and what they keep for old versions.
    @Suite(.timeLimit(.minutes(10))) struct ProcessesTests {
        /// What `info` says of this process.
        private func ownInfo(_ kennel: Kennel) async throws -> [String: Any]? {
            let run = try await Tool.run("info", kennel.path, "--format", "json")
            let info = try #require(try run.json() as? [String: Any], "\(run.errors)")
            let processes = try #require(info["processes"] as? [[String: Any]])
            return processes.first { $0["process"] as? Int == Int(getpid()) }
        }

        @Test func infoSaysWhoKeepsRemovedFilesForAnOldVersion() async throws {
            try await Kennel.with { kennel in
                let realm = try await kennel.open()
                let held = realm.snapshot()
                try await realm.write { tx in
                    for dog in tx.objects(Dog.self) { dog.age = 7 }
                    for person in tx.objects(Person.self) { person.wealth = 7 }
                }
                try await realm.compact()
                let process = try #require(try await ownInfo(kennel))
                #expect(process["isWriter"] as? Bool == true)
                let removed = try #require(process["removedPageFiles"] as? Int)
                let all = try #require(process["pageFiles"] as? Int)
                #expect(removed > 0 && removed < all)
                #expect(try #require(process["removedPageBytes"] as? Int) > 0)
                #expect(process["removedSince"] is String)
                let text = try await Tool.run("info", kennel.path)
                let line = try #require(text.lines.first { $0.contains("process \(getpid()) (") })
                #expect(line.hasPrefix("open in         ") && line.contains("the writer lease"))
                #expect(line.contains("of them \(removed) removed since 20"), "\(line)")
                withExtendedLifetime(held) {}
                try await realm.close()
                #expect(try await ownInfo(kennel)?["isWriter"] as? Bool != true)
            }
        }

        @Test func aStoreThatNobodyHasOpenIsToldAsSuch() async throws {
            try await Kennel.with { kennel in
                // One that this process never had.
                let copy = kennel.folder + "/copy"
                try FileManager.default.copyItem(atPath: kennel.path, toPath: copy)
                let info = try await Tool.run("info", copy)
                #expect(info.lines.contains("open in         no other process of this user"))
            }
        }
    }
#endif
