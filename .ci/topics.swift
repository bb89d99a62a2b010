// Checks an archive of docc: every symbol stands in a topic, every guide has its page.
//   swift .ci/topics.swift ARCHIVE GUIDES
//
// docc puts what no topic names into groups that it makes by kind. A page of a type may consist of
// those alone; once it has topics of its own it has to name all of its members, and the page of
// the module all types.
import Foundation

struct Page: Decodable {
    struct Group: Decodable {
        let title: String?
        let generated: Bool?
        let identifiers: [String]
    }

    let topicSections: [Group]?

    /// What stands in no topic. Members that a protocol asks for are grouped by docc in any case.
    var strays: [String] {
        let groups = topicSections ?? []
        guard groups.contains(where: { $0.generated != true }) else { return [] }
        return groups.filter { $0.generated == true && $0.title != "Default Implementations" }
            .flatMap(\.identifiers)
    }

    /// Whether it names symbols or pages by topics of its own.
    var hasTopics: Bool { topicSections?.contains { $0.generated != true } == true }
}

let arguments = CommandLine.arguments
guard arguments.count == 3 else {
    print("usage: topics.swift ARCHIVE GUIDES")
    exit(2)
}
let pages = URL(fileURLWithPath: arguments[1]).appendingPathComponent("data/documentation")
var problems: [String] = []

let module = pages.appendingPathComponent("realmactors.json")
if try JSONDecoder().decode(Page.self, from: Data(contentsOf: module)).hasTopics == false {
    problems.append("The page of the module has no topics.")
}
var count = 0
for file in FileManager.default.enumerator(at: pages, includingPropertiesForKeys: nil)! {
    guard let file = file as? URL, file.pathExtension == "json" else { continue }
    count += 1
    let page = try JSONDecoder().decode(Page.self, from: Data(contentsOf: file))
    for stray in page.strays {
        problems.append("\(stray.split(separator: "documentation/").last ?? "") is in no topic.")
    }
}
for guide in try FileManager.default.contentsOfDirectory(atPath: arguments[2]).sorted()
where guide.hasSuffix(".md") {
    let name = guide.dropLast(3).lowercased() + "guide.json"
    let page = pages.appendingPathComponent("realmactors/\(name)")
    if !FileManager.default.fileExists(atPath: page.path) {
        problems.append("\(guide) is not in the catalog: link it in RealmActors.docc/Guides.")
    }
}
if problems.isEmpty {
    print("\(count) pages, every symbol in a topic")
} else {
    print(problems.sorted().joined(separator: "\n"))
    exit(1)
}
