#if PostgreSQL
    import StorageHarness

    @testable import Storage

    extension PostgresServer {
        /// Runs `body` while the transaction that `statements` begin is open; it commits a second
        /// after `condition` is true: by default, that another session waits for a lock.
        func hold(
            _ statements: String,
            until condition: String = "EXISTS (SELECT FROM pg_locks WHERE NOT granted)",
            _ body: @escaping @Sendable () throws -> Void
        ) {
            inParallel(2) { [self] thread in
                if thread == 0 {
                    // By default, a transaction keeps its first snapshot of the sessions.
                    try psql(
                        """
                        \(statements)
                        SET application_name = 'holder';
                        DO $$ BEGIN
                            FOR look IN 1..6000 LOOP
                                PERFORM pg_stat_clear_snapshot();
                                EXIT WHEN \(condition);
                                PERFORM pg_sleep(0.01);
                            END LOOP;
                        END $$;
                        SELECT pg_sleep(1);
                        COMMIT
                        """)
                } else {
                    let isHeld =
                        "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'holder'"
                    while try psql(isHeld) == "0\n" { Platform.pause(for: .milliseconds(10)) }
                    try body()
                }
            }
        }
    }
#endif
