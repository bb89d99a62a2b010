import Foundation

/// Runs the workloads and prints a row for each.
@main
struct Benchmarks {
    static let help = """
        usage: benchmarks [options]
               benchmarks summary [--help]

        \(Options.help)
          --flights DIR   the folder with the files of w16_flights
          --realm-file FILE
                          the file of w21_realmfile
          --postgres CONNECTION
                          the server of the rows h01 to h09, selected by --filter hosts; requires
                          a build with --traits PostgreSQL

        The second form compares the rows of several runs; see Benchmarks/compare.
        """

    static func main() async {
        if let status = await ChildProcess.runIfAsked(ChildJob.run) { exit(status) }
        let words = Array(CommandLine.arguments.dropFirst())
        if let status = SummaryCommand.runIfAsked(words) { exit(status) }
        do throws(Options.Problem) {
            let options = try Options(words, also: ["--flights", "--realm-file", "--postgres"])
            if options.wantsHelp {
                print(help)
                return
            }
            exit(await run(options))
        } catch {
            FileHandle.standardError.write(Data("\(error)\n\n\(help)\n".utf8))
            exit(2)
        }
    }

    private static func run(_ options: Options) async -> Int32 {
        var report = Report(options.format, engine: Report.ourName)
        do {
            let bench = try Bench(options)
            defer { bench.cleanUp() }
            let filter = options.filter.map { $0 == "hosts" ? HostBench.prefix : $0 }
            let workloads = allWorkloads + HostBench.workloads(options)
            for workload in workloads where workload.matches(filter) {
                let repetitions = options.repetitions
                for row in try await workload.measure(in: bench, repetitions: repetitions) {
                    report.add(row)
                }
            }
            report.finish()
        } catch {
            report.finish()
            progress("stopped: \(error)")
            return 1
        }
        if report.hasMistakes { progress("a workload gave a wrong answer") }
        return report.hasMistakes ? 1 : 0
    }
}
