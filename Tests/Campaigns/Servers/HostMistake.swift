#if os(Linux) && PostgreSQL
    import RealmActors
    import Storage

    /// A mistake that hosts must not make. Each is made on purpose, to see that it is found.
    enum HostMistake: String, CaseIterable {
        /// The host ignores that others have taken its slot while it was held up.
        case writesOn
        /// It lacks an entry of others.
        case losesEntry
        /// It applies an entry of others again, in place of the next one.
        case appliesTwice
        /// It applies an entry of others only after the next one.
        case appliesLate
        /// It acknowledges a commit whose outcome is unknown. All hosts do: which of them comes to
        /// it is open.
        case acknowledgesInDoubt

        /// The log of a realm, as a host has it that makes the mistake.
        func log(_ connection: String, realm: String) -> Realm.SharedLog {
            Realm.SharedLog {
                do throws(SharedLogError) {
                    let log = try PostgresSharedLog(connection, realm: realm, durability: .quorum)
                    switch self {
                    case .writesOn: return UnheedingLog(log)
                    case .losesEntry, .appliesTwice, .appliesLate: return MisreadLog(log, self)
                    case .acknowledgesInDoubt: return CertainLog(log)
                    }
                } catch {
                    throw StorageError(error)
                }
            }
        }
    }
#endif
