package newarea

// module is the prefix of import paths.
const module = "github.com/assay-project/assay/"

// edit inserts text after a line of a file outside of the area's folders.
type edit struct{ path, after, text string }

// edits are all changes of existing files that the area needs, besides generated ones.
var edits = []edit{
	{"services/ingest/areas.go", `	feeditems "` + module + `pkg/feed"`, `	linecounts "` + module + `pkg/linecount"`},
	{"services/ingest/areas.go", `	"` + module + `services/ingest/library"`, `	"` + module + `services/ingest/linecount"`},
	{"services/ingest/areas.go", `	Library  library.Config`, `	LineCount linecounts.Config`},
	{
		"services/ingest/areas.go", `	return []Entry{`,
		`		{Name: linecounts.Name, Work: linecounts.Work(), Open: func(s Shared) (Area, error) { return linecount.New(cfg.LineCount, s.Backends, s.Shared), nil }},`,
	},

	{"services/analyzer/areas.go", `	feeditems "` + module + `pkg/feed"`, `	linecounts "` + module + `pkg/linecount"`},
	{"services/analyzer/areas.go", `	"` + module + `services/analyzer/library"`, `	"` + module + `services/analyzer/linecount"`},
	{"services/analyzer/areas.go", `	Library  library.Config`, `	LineCount linecount.Config`},
	{"services/analyzer/areas.go", `	return errors.Join(`, `		c.LineCount.Validate(),`},
	{
		"services/analyzer/areas.go", `	return []Entry{`,
		`		{Name: linecounts.Name, Work: linecounts.Work(), Open: func(s Shared) (Area, error) { return linecount.New(cfg.LineCount, s.Backends, s.Worker, s.Log), nil }},`,
	},

	{"services/query/areas.go", `	feeditems "` + module + `pkg/feed"`, `	linecounts "` + module + `pkg/linecount"`},
	{"services/query/areas.go", `	"` + module + `services/query/library"`, `	"` + module + `services/query/linecount"`},
	{"services/query/areas.go", `	Library  library.Config`, `	LineCount linecounts.Config`},
	{
		"services/query/areas.go", `	return []Entry{`,
		`		{Name: linecounts.Name, Work: linecounts.Work(), Open: func(s Shared) (Area, error) { return linecount.New(cfg.LineCount, s.Backends, s.Waits), nil }},`,
	},

	{"services/assay/setup/setup.go", `	"` + module + `pkg/library"`, `	"` + module + `pkg/linecount"`},
	{"services/assay/setup/setup.go", `	Library  library.Config`, `	LineCount linecount.Config`},
	{"services/assay/setup/setup.go", `		library.Area(c.Library),`, `		linecount.Area(c.LineCount),`},

	{"services/assay/cmd/root.go", `		newFeed(s), newAlerts(s), newPhoto(s), newLibrary(s),`, `		newLineCount(s),`},

	{"services/assay/test/e2e/e2e.go", `	"` + module + `services/assay/test/e2e/library"`, `	"` + module + `services/assay/test/e2e/linecount"`},
	{"services/assay/test/e2e/e2e.go", `		library.Promises(),`, `		linecount.Promises(),`},
	{"services/assay/test/e2e/e2e.go", `		library.Scenarios(),`, `		linecount.Scenarios(),`},
	{"services/assay/test/e2e/e2e.go", `		library.Callers(),`, `		linecount.Callers(),`},

	{"services/assay/test/fault/audit/reader.go", `	"` + module + `pkg/lifecycle"`, `	"` + module + `pkg/linecount"`},
	{"services/assay/test/fault/audit/reader.go", `		library.Name:  libraryNodes(cfg, stores),`, `		linecount.Name: lineCounts(cfg, stores),`},

	{"services/query/ui/app/areas.ts", `import { area as library } from "./library/area.js";`, `import { area as linecount } from "./linecount/area.js";`},
	{"services/query/ui/app/areas.ts", `  library,`, `  linecount,`},

	{"proto/asyncapi.yaml", `channels:`, `  lineCountUploaded:
    address: assay.linecount.uploaded.{id}
    description: Work for the analyzer, in the stream ASSAY_WORK_LINECOUNT, like fileUploaded.
    parameters:
      id:
        description: the item's id, a UUID
    messages:
      LineCountUploaded:
        $ref: '#/components/messages/LineCountUploaded'`},
	{"proto/asyncapi.yaml", `operations:`, `  sendLineCountUploaded:
    action: send
    channel:
      $ref: '#/channels/lineCountUploaded'
    summary: ingest has stored the bytes of a text whose lines are counted.`},
	{"proto/asyncapi.yaml", `  messages:`, `    LineCountUploaded:
      name: assay.v1.LineCountUploaded
      title: The bytes of a text are stored, whose lines are counted
      headers:
        $ref: '#/components/schemas/EventHeaders'
      payload:
        $ref: '#/components/schemas/LineCountUploaded'
      examples:
        - payload:
            id: "0192f7c0-7a3c-7cc1-b111-53f1c30f1c44"
            ownerId: "0192f7c0-7a3c-7cc1-b111-53f1c30f1c45"
            fileName: "report.txt"
            key: "linecounts/3c/0192f7c0-7a3c-7cc1-b111-53f1c30f1c44/4096"
            etag: "9e107d9d372bb6826bd81d3542a419d6"
            pendingSince: "2026-11-24T07:59:58Z"`},
	{"proto/asyncapi.yaml", `  schemas:`, `    LineCountUploaded:
      type: object
      required: [id, ownerId, fileName, key, etag]
      properties:
        id:
          type: string
        ownerId:
          type: string
        fileName:
          type: string
        key:
          type: string
        etag:
          type: string
        pendingSince:
          type: string
          format: date-time
`},

	{"README.md", `  the records of tables, molecules, crystals and spectra.`, `  There is also ` + "`linecount`" + `, which counts the lines of texts.`},
	{"CHANGELOG.md", `### Added`, `
- The area ` + "`linecount`" + ` counts the lines of uploaded texts, with a page and the command ` + "`assay linecount`" + `.`},
}
