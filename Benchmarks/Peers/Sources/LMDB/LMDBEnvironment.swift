import CLMDB

// Safety: the environment's handle comes from mdb_env_create and is closed once, in `close`, when
// no transaction is open any more. LMDB allows transactions of several threads on it.

/// An open LMDB file and its tables.
// Safe to share: its lets never change, and LMDB takes care of threads.
final class LMDBEnvironment: @unchecked Sendable {
    private let handle: OpaquePointer
    /// Packed persons by key, the e-mail addresses with their keys, and texts by number.
    let persons: MDB_dbi
    let emails: MDB_dbi
    let strings: MDB_dbi

    private static let mapBytes = 4 << 30

    init(path: String, durability: PeerDurability) throws {
        var environment: OpaquePointer?
        try check(mdb_env_create(&environment), "create")
        guard let environment else { throw PeerFailure(description: "no environment") }
        handle = environment
        mdb_env_set_mapsize(environment, Self.mapBytes)
        mdb_env_set_maxdbs(environment, 3)
        var flags = UInt32(MDB_NOTLS | MDB_NORDAHEAD)
        if durability == .unsynced { flags |= UInt32(MDB_NOSYNC) }
        try check(mdb_env_open(environment, path, flags, 0o600), "open")

        var setup: OpaquePointer?
        try check(mdb_txn_begin(environment, nil, 0, &setup), "begin")
        let indexFlags = MDB_CREATE | MDB_DUPSORT | MDB_DUPFIXED | MDB_INTEGERDUP
        persons = try Self.table("persons", MDB_CREATE | MDB_INTEGERKEY, setup)
        emails = try Self.table("emails", indexFlags, setup)
        strings = try Self.table("strings", MDB_CREATE | MDB_INTEGERKEY, setup)
        try check(mdb_txn_commit(setup), "commit")
    }

    private static func table(
        _ name: String, _ flags: Int32, _ setup: OpaquePointer?
    ) throws -> MDB_dbi {
        var table: MDB_dbi = 0
        try check(mdb_dbi_open(setup, name, UInt32(flags), &table), name)
        return table
    }

    /// Runs work in a transaction of its own.
    func write(_ work: (LMDBTransaction) throws -> Void) throws {
        var transaction: OpaquePointer?
        try check(mdb_txn_begin(handle, nil, 0, &transaction), "begin")
        guard let transaction else { throw PeerFailure(description: "no transaction") }
        do {
            try work(LMDBTransaction(transaction, self))
        } catch {
            mdb_txn_abort(transaction)
            throw error
        }
        try check(mdb_txn_commit(transaction), "commit")
    }

    /// A transaction that reads; reset it and renew it to see later commits.
    func reader() throws -> LMDBTransaction {
        var transaction: OpaquePointer?
        try check(mdb_txn_begin(handle, nil, UInt32(MDB_RDONLY), &transaction), "begin")
        guard let transaction else { throw PeerFailure(description: "no transaction") }
        return LMDBTransaction(transaction, self)
    }

    /// Runs work that reads.
    func read<R>(_ work: (LMDBTransaction) throws -> R) throws -> R {
        let transaction = try reader()
        defer { transaction.abort() }
        return try work(transaction)
    }

    func close() throws {
        // Where commits do not sync, closing does: the files are complete afterwards.
        try check(mdb_env_sync(handle, 1), "sync")
        mdb_env_close(handle)
    }
}

/// Throws unless a call of LMDB succeeded.
func check(_ code: Int32, _ call: String) throws {
    guard code == MDB_SUCCESS else {
        throw PeerFailure(description: "\(call): \(String(cString: mdb_strerror(code)))")
    }
}
