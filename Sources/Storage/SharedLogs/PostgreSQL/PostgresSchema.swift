/// The tables of the shared logs of any number of realms. Also available without the trait
/// `PostgreSQL`, since displaying the statements does not require libpq.
package enum PostgresSchema {
    /// Stored in the head row of each realm.
    static let format: Int64 = 1

    /// The statements that create the tables, for users whose role may not. If the tables exist
    /// already, they change nothing, but require a role that owns them.
    ///
    /// Bodies are stored uncompressed, since the server would compress them without success. Those
    /// that fit into a page stay in their row, which takes one write instead of three.
    package static let statements = """
        CREATE TABLE IF NOT EXISTS realmactors_head (
            realm text PRIMARY KEY,
            format integer NOT NULL,
            first bigint NOT NULL,
            next bigint NOT NULL,
            last bigint NOT NULL DEFAULT 0,
            barrier bigint NOT NULL DEFAULT 0
        ) WITH (fillfactor = 20);
        CREATE TABLE IF NOT EXISTS realmactors_log (
            realm text,
            slot bigint,
            body bytea NOT NULL,
            PRIMARY KEY (realm, slot)
        ) WITH (toast_tuple_target = 8160);
        ALTER TABLE realmactors_log ALTER COLUMN body SET STORAGE EXTERNAL;
        CREATE TABLE IF NOT EXISTS realmactors_image (
            realm text,
            slot bigint,
            part integer,
            body bytea NOT NULL,
            PRIMARY KEY (realm, slot, part)
        );
        ALTER TABLE realmactors_image ALTER COLUMN body SET STORAGE EXTERNAL;
        """

    /// Only one of several hosts creates the tables: `IF NOT EXISTS` alone fails if two do so
    /// concurrently. The second has to check for them again, since its role may not be their owner.
    static let lock = """
        BEGIN ISOLATION LEVEL READ COMMITTED;
        SET LOCAL client_min_messages = error;
        SELECT pg_advisory_xact_lock(5928307114227);
        """

    /// Reads the catalog itself: `to_regclass` caches a miss until the transaction ends.
    static let exists = """
        SELECT 1 FROM pg_catalog.pg_class
        WHERE relname = 'realmactors_head' AND pg_catalog.pg_table_is_visible(oid)
        """

    static let addRealm = """
        INSERT INTO realmactors_head (realm, format, first, next)
        VALUES ($1, \(format), 1, 1) ON CONFLICT DO NOTHING
        """

    static let formatOfRealm = "SELECT format FROM realmactors_head WHERE realm = $1"
}
