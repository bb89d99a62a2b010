#if os(Linux) && PostgreSQL
    import RealmActors
    import Storage

    /// A fault that hosts must not have. Each is injected to show that it is detected.
    enum HostMistake: String, CaseIterable {
        /// The host ignores that others have filled its slot while it was stopped.
        case writesOn
        /// It skips an entry of others.
        case losesEntry
        /// It applies an entry of others again, instead of the next one.
        case appliesTwice
        /// It applies an entry of others only after the next one.
        case appliesLate
        /// It acknowledges a commit whose outcome is unknown. All hosts do, since it is open which
        /// of them has one.
        case acknowledgesInDoubt

        /// The log of a realm with the fault.
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
