import Foundation

/// Runs the workloads and prints a row for each.
@main
struct Benchmarks {
    static func main() async {
        if let status = await ChildProcess.runIfAsked() { exit(status) }
        do throws(Options.Problem) {
            let options = try Options(CommandLine.arguments.dropFirst())
            if options.wantsHelp {
                print(Options.help)
                return
            }
            exit(await run(options))
        } catch {
            FileHandle.standardError.write(Data("\(error)\n\n\(Options.help)\n".utf8))
            exit(2)
        }
    }

    private static func run(_ options: Options) async -> Int32 {
        var report = Report(options.format)
        do {
            let bench = try Bench(options)
            defer { bench.cleanUp() }
            for workload in Workload.all where workload.matches(options.filter) {
                progress("\(workload.rows.joined(separator: ", "))")
                for row in try await measure(workload, bench) { report.add(row) }
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

    /// The medians of all repetitions, row by row.
    private static func measure(_ workload: Workload, _ bench: Bench) async throws -> [Measurement]
    {
        var runs: [[Measurement]] = []
        for _ in 0..<bench.options.repetitions { runs.append(try await workload.run(bench)) }
        guard var rows = runs.first else { return [] }
        for index in rows.indices where rows[index].value != nil {
            rows[index].value = runs.compactMap { $0[index].value }.median
            if let wrong = runs.first(where: { !$0[index].isRight }) {
                rows[index].check = wrong[index].check
                rows[index].isRight = false
            }
        }
        return rows
    }
}
