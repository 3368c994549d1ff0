package permissions

import (
	"flag"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/assay-project/assay/pkg/dynamolite"
	"github.com/assay-project/assay/services/assay/client"
	"github.com/assay-project/assay/services/assay/test/e2e"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

var needed = flag.Bool("permissions.needed", false, "run all promises and scenarios, and require that they use all of deploy/iam")

// TestPermissionsAreSufficient: the scenarios of this package need no more than the permissions in deploy/iam and
// deploy/nats. The other packages of e2e prove the same for their promises and scenarios.
func TestPermissionsAreSufficient(t *testing.T) {
	t.Parallel()
	g := system.NewGuard(t)
	own(g).Prove(t, g.Start)
}

// own returns the scenarios of this package.
func own(g *system.Guard) system.Scenarios {
	return system.Scenarios{
		"large files are stored in parts": largeFilesAreStoredInParts,
		"tables are restored":             tablesAreRestored,
		"settings are applied":            settingsAreApplied,
		"queue is enough":                 func(t *testing.T, start system.Starter) { queueIsEnough(t, start, g.Allow) },
	}
}

// TestPermissionsAreNeeded: all promises and scenarios together use all permissions in deploy/iam.
func TestPermissionsAreNeeded(t *testing.T) {
	if !*needed {
		t.Skip("only with -permissions.needed")
	}
	g := system.NewGuard(t)
	t.Run("all", func(t *testing.T) {
		system.Join(e2e.Scenarios(), own(g), system.Scenarios{
			"promises": func(t *testing.T, start system.Starter) { e2e.Promises().ProveOnServices(t, start) },
		}).Prove(t, g.Start)
	})
	for _, part := range g.Unused() {
		if rare(part) == "" {
			t.Errorf("deploy/iam contains a permission that is not needed: %s", part)
		}
	}
}

// rare returns the reason why these tests might not use a part of a policy, or "" if they must use it.
func rare(part string) string {
	const missing = "a sweep that misses an item with tags, and removes them 30 days later"
	return map[string]string{
		"analyzer FeedTextRestore: s3:PutObject arn:aws:s3:::assay-files/feed/*":                                 "a client that posts an item again while a sweep removes its text",
		"analyzer PhotosStore: s3:AbortMultipartUpload arn:aws:s3:::photoeditor-dev-final/final/*":               "an interrupted multipart upload",
		"analyzer LibraryWorkflows: dynamodb:DeleteItem arn:aws:dynamodb:*:*:table/leanda-ng-dev-workflow-state": "a sweep seven days after a workflow has ended",
		"analyzer Tags: dynamodb:GetItem arn:aws:dynamodb:*:*:table/assay-platform":                              missing,
		"analyzer Tags: dynamodb:UpdateItem arn:aws:dynamodb:*:*:table/assay-platform":                           missing,
		"analyzer Tags: dynamodb:DeleteItem arn:aws:dynamodb:*:*:table/assay-platform":                           missing,
		"analyzer Gone: dynamodb:DeleteItem arn:aws:dynamodb:*:*:table/assay-platform":                           missing,
		"analyzer Gone: dynamodb:LeadingKeys MATCH#*":                                                            missing,
		"analyzer Gone: dynamodb:LeadingKeys RULELOG#*":                                                          missing,
		"analyzer PhotosMove: dynamodb:Attributes provider":                                                      "an edit by a fallback",
		"ingest PhotosRetryAndCancel: dynamodb:Attributes provider":                                              "a retry with another provider",
		"ingest PhotosUpload: s3:AbortMultipartUpload arn:aws:s3:::photoeditor-dev-temp/uploads/*":               "an interrupted multipart upload",
	}[part]
}

// largeFilesAreStoredInParts: a file of more than one part is analyzed; a file that exceeds the limit is rejected and
// leaves nothing behind.
func largeFilesAreStoredInParts(t *testing.T, start system.Starter) {
	const most = 12 << 20
	c := start(t, "ASSAY_MAX_FILE_SIZE="+strconv.Itoa(most))
	c.Front(t, c.Service(t, "ingest"), c.Service(t, "query"))
	c.Service(t, "analyzer")
	user := c.Client(t, system.NewOwner())
	text := strings.Repeat("word ", most/5)
	kept := system.UploadMultipart(t, user, "large.txt", "text/plain", []byte(text))
	system.CheckResult(t, system.Await(t, user, kept.FileID), system.Count(text))
	_, err := user.PostFile(system.Within(t), client.Posted{FileName: "larger.txt", ContentType: "text/plain", Content: strings.NewReader(text + text)})
	if !system.IsProblem(err, http.StatusRequestEntityTooLarge) {
		t.Errorf("a file of twice the size returned %v, want 413", err)
	}
	if keys := c.Keys(t); len(keys) != 1 || !strings.Contains(keys[0], kept.FileID) {
		t.Errorf("the bucket contains %v, want one object of %s", keys, kept.FileID)
	}
}

// TestPoliciesForbid: deploy/iam denies each program the operations that it must not perform.
func TestPoliciesForbid(t *testing.T) {
	t.Parallel()
	const history, primary, dashboard = "text-analyzer-history", "sentiment-items-primary", "sentiment-items-dashboard"
	all := system.NewGuard(t).Policies
	may := func(who, action, table string, leading string, attributes ...string) bool {
		resource := "arn:aws:dynamodb:eu-central-1:123456789012:table/" + table
		if strings.HasPrefix(action, "s3:") {
			resource = "arn:aws:s3:::assay-files/" + table
		}
		return len(all[who].Uses(dynamolite.Access{Action: action, Resource: resource, LeadingKey: leading, Attributes: attributes})) > 0
	}
	for _, write := range []string{"PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem"} {
		for _, table := range []string{history, primary} {
			if may("query", "dynamodb:"+write, table, "FILE#1") {
				t.Errorf("deploy/iam allows query %s in %s, want it denied", write, table)
			}
		}
		for _, who := range []string{"ingest", "analyzer"} {
			if may(who, "dynamodb:"+write, dashboard, "") {
				t.Errorf("deploy/iam allows %s %s in %s, want it denied", who, write, dashboard)
			}
		}
	}
	complete := dynamolite.Access{Action: "dynamodb:GetItem", Resource: "arn:aws:dynamodb:eu-central-1:123456789012:table/" + history, Attributes: []string{"PK", "SK"}, Select: "ALL_ATTRIBUTES"}
	old := dynamolite.Access{Action: "dynamodb:DeleteItem", Resource: complete.Resource, Attributes: complete.Attributes, ReturnValues: "ALL_OLD"}
	for what, allowed := range map[string]bool{
		"ingest reads a result":                     may("ingest", "dynamodb:GetItem", history, "FILE#1", "PK", "SK", "result"),
		"ingest reads all attributes of a file":     len(all["ingest"].Uses(complete)) > 0,
		"ingest reads a file when deleting it":      len(all["ingest"].Uses(old)) > 0,
		"query stores bytes":                        may("query", "s3:PutObject", "files/a/b", ""),
		"query removes bytes":                       may("query", "s3:DeleteObject", "files/a/b", ""),
		"analyzer creates a file":                   may("analyzer", "dynamodb:PutItem", history, "FILE#1", "PK", "SK", "status"),
		"analyzer creates a file by an update":      may("analyzer", "dynamodb:UpdateItem", history, "FILE#1", "PK", "SK", "status", "s3Key"),
		"analyzer creates a feed item":              may("analyzer", "dynamodb:PutItem", primary, "a"),
		"analyzer creates a feed item by an update": may("analyzer", "dynamodb:UpdateItem", primary, "a", "source_id", "ingested_at", "source_type"),
		"analyzer stores bytes":                     may("analyzer", "s3:PutObject", "files/a/b", ""),
		"analyzer reads sources":                    may("analyzer", "dynamodb:GetItem", "assay-platform", "FEED#SOURCE"),
		"query reads sources":                       may("query", "dynamodb:Query", "assay-platform", "FEED#SOURCE"),
		"ingest writes an item of another kind":     may("ingest", "dynamodb:PutItem", "assay-platform", "FEED#OTHER"),
		"ingest lists results of files":             may("ingest", "dynamodb:Query", history, "") || may("ingest", "dynamodb:Scan", history, ""),
		"ingest reads the dashboard":                may("ingest", "dynamodb:Query", dashboard, "") || may("ingest", "dynamodb:GetItem", dashboard, ""),
		"ingest reads the stream of results":        may("ingest", "dynamodb:GetRecords", primary+"/stream/1", ""),
		"ingest records a result":                   may("ingest", "dynamodb:UpdateItem", history, "FILE#1", "PK", "SK", "result"),
		"ingest creates a file with a result":       may("ingest", "dynamodb:PutItem", history, "FILE#1", "PK", "SK", "result"),
		"ingest records a sentiment":                may("ingest", "dynamodb:UpdateItem", primary, "a", "source_id", "sentiment"),
		"a service creates or drops a table":        may("ingest", "dynamodb:CreateTable", history, "") || may("analyzer", "dynamodb:DeleteTable", history, ""),
	} {
		if allowed {
			t.Errorf("deploy/iam allows an operation that it must not allow: %s", what)
		}
	}
	for name, p := range all {
		for _, part := range p.Parts() {
			if strings.HasSuffix(part, " dynamodb:ListBackups *") {
				continue // AWS has no narrower resource for it
			}
			if strings.Contains(part, ":* ") || strings.HasSuffix(part, " *") {
				t.Errorf("deploy/iam/%s.json allows any action or any resource: %s", name, part)
			}
		}
	}
}

// TestForbiddenIsReportedImmediately: a program that lacks a permission exits with an error that names the subject, long
// before a timeout.
func TestForbiddenIsReportedImmediately(t *testing.T) {
	t.Parallel()
	c := system.NewGuard(t).Start(t)
	for name, test := range map[string]struct {
		role, user string
		want       string
	}{
		"analyzer as ingest": {"analyzer", "ingest", "the user of analyzer may not publish to $JS.API."},
		"ingest as query":    {"ingest", "query", "consumer ingest-notice on stream ASSAY_NOTICES: NATS denies permission: the user of ingest may not publish to $JS.API.CONSUMER.INFO.ASSAY_NOTICES.ingest-notice"},
	} {
		c.Identity = func(string) []string {
			return []string{"ASSAY_NATS_USER=" + test.user, "ASSAY_NATS_PASSWORD=" + test.user}
		}
		p := system.Launch(t, test.role, c.Environment(test.role))
		if status := p.End(t); status != 1 || !strings.Contains(p.Output.String(), test.want) {
			t.Errorf("%s: exit status %d: %s, want 1 and %q", name, status, p.Output, test.want)
		}
	}
}
