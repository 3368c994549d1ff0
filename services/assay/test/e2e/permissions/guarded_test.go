package permissions

import (
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/assay-project/assay/pkg/dynamolite"
	"github.com/assay-project/assay/services/assay/client"
	"github.com/assay-project/assay/services/assay/test/e2e"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// natsUsers are the users of deploy/nats/nats.conf. Here the password of each is
// its name.
var natsUsers = []string{"setup", "ingest", "analyzer", "query", "s3", "operator"}

// start is startCluster with the permissions of each program.
func (g *guard) start(t *testing.T, env ...string) *system.Cluster {
	t.Helper()
	c := &system.Cluster{Identity: func(role string) []string {
		return []string{
			"ASSAY_NATS_USER=" + role, "ASSAY_NATS_PASSWORD=" + role,
			"AWS_ACCESS_KEY_ID=" + role, "AWS_SECRET_ACCESS_KEY=" + system.SecretKey,
		}
	}}
	configuration := []string{system.NATSConfiguration + "=" + system.Repository(t, "deploy/nats/nats.conf")}
	for _, user := range natsUsers {
		configuration = append(configuration, "ASSAY_NATS_"+strings.ToUpper(user)+"_PASSWORD="+user)
	}
	c.NATSEngine = system.StartEngine(t, "guarded-nats", configuration...)
	c.DynamoDBEngine = &system.EngineProgram{URL: g.startDynamoDB(t)}
	c.S3Engine = system.StartEngine(t, "s3", "ASSAY_NATS_URL="+as("s3", c.NATSEngine.URL))
	c.Bucket, c.Table = "assay-files", "text-analyzer-history" // as in deploy/iam
	c.S3 = g.guardS3(t, system.System{S3: c.S3Engine.URL})
	c.Join(t, env...)
	c.NATS = as("operator", c.NATS)
	return c
}

// as returns the URL of a NATS server for one of its users.
func as(user, url string) string {
	return strings.Replace(url, "://", "://"+user+":"+user+"@", 1)
}

// TestGuardedServicesKeepThePromises: with no more permissions than deploy/nats
// and deploy/iam grant, the services keep every promise, and they use all that
// deploy/iam grants.
func TestGuardedServicesKeepThePromises(t *testing.T) {
	t.Parallel()
	g := newGuard(t)
	t.Run("all", func(t *testing.T) {
		for name, run := range system.Join(e2e.Scenarios(), system.Scenarios{
			"promises":                keepThePromises,
			"large files go in parts": largeFilesGoInParts,
			"queue is enough":         func(t *testing.T, start system.Starter) { queueIsEnough(t, start, g.allow) },
		}) {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				run(t, g.start)
			})
		}
	})
	g.compare(t)
}

func keepThePromises(t *testing.T, start system.Starter) {
	c := start(t)
	services := []*system.Service{c.Service(t, "ingest"), c.Service(t, "query"), c.Service(t, "analyzer")}
	c.Front(t, services[0], services[1])
	t.Run("promises", func(t *testing.T) { e2e.Promises().Prove(t, c.System) })
	for _, s := range services {
		if status, body := system.Get(t, s.URL+"/readyz"); status != http.StatusOK {
			t.Errorf("readyz answers %d: %s", status, body)
		}
	}
	for _, s := range services {
		if strings.Contains(s.Output.String(), "NATS rejected a request") {
			t.Errorf("NATS rejected a request:\n%s", s.Output.Tail(8000))
		}
	}
}

// largeFilesGoInParts: a file of more than one part is analyzed; one that turns
// out to be too large is rejected and leaves nothing behind.
func largeFilesGoInParts(t *testing.T, start system.Starter) {
	const most = 12 << 20
	c := start(t, "ASSAY_MAX_FILE_SIZE="+strconv.Itoa(most))
	c.Front(t, c.Service(t, "ingest"), c.Service(t, "query"))
	c.Service(t, "analyzer")
	speaker := c.Client(t, system.NewOwner())
	text := strings.Repeat("word ", most/5)
	kept := system.UploadMultipart(t, speaker, "large.txt", "text/plain", []byte(text))
	system.CheckResult(t, system.Await(t, speaker, kept.FileID), system.Count(text))
	_, err := speaker.PostFile(system.Within(t), client.Posted{FileName: "larger.txt", ContentType: "text/plain", Content: strings.NewReader(text + text)})
	if !system.IsProblem(err, http.StatusRequestEntityTooLarge) {
		t.Errorf("twice as much: %v", err)
	}
	if keys := c.Keys(t); len(keys) != 1 || !strings.Contains(keys[0], kept.FileID) {
		t.Errorf("the bucket has %v", keys)
	}
}

// TestPoliciesForbid: what deploy/iam denies each program.
func TestPoliciesForbid(t *testing.T) {
	t.Parallel()
	const history, primary, dashboard = "text-analyzer-history", "sentiment-items-primary", "sentiment-items-dashboard"
	all := policies(t)
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
				t.Errorf("query may %s in %s", write, table)
			}
		}
		for _, who := range []string{"ingest", "analyzer"} {
			if may(who, "dynamodb:"+write, dashboard, "") {
				t.Errorf("%s may %s in %s", who, write, dashboard)
			}
		}
	}
	complete := dynamolite.Access{Action: "dynamodb:GetItem", Resource: "arn:aws:dynamodb:eu-central-1:123456789012:table/" + history, Attributes: []string{"PK", "SK"}, Select: "ALL_ATTRIBUTES"}
	old := dynamolite.Access{Action: "dynamodb:DeleteItem", Resource: complete.Resource, Attributes: complete.Attributes, ReturnValues: "ALL_OLD"}
	for what, allowed := range map[string]bool{
		"ingest reads a result":            may("ingest", "dynamodb:GetItem", history, "FILE#1", "PK", "SK", "result"),
		"ingest reads all of a file":       len(all["ingest"].Uses(complete)) > 0,
		"ingest reads what it deletes":     len(all["ingest"].Uses(old)) > 0,
		"query stores bytes":               may("query", "s3:PutObject", "files/a/b", ""),
		"query removes bytes":              may("query", "s3:DeleteObject", "files/a/b", ""),
		"analyzer creates a file":          may("analyzer", "dynamodb:PutItem", history, "FILE#1", "PK", "SK", "status"),
		"analyzer makes one by an update":  may("analyzer", "dynamodb:UpdateItem", history, "FILE#1", "PK", "SK", "status", "s3Key"),
		"analyzer creates a feed item":     may("analyzer", "dynamodb:PutItem", primary, "a"),
		"analyzer makes such an item":      may("analyzer", "dynamodb:UpdateItem", primary, "a", "source_id", "ingested_at", "source_type"),
		"analyzer uploads":                 may("analyzer", "s3:PutObject", "files/a/b", ""),
		"analyzer reads sources":           may("analyzer", "dynamodb:GetItem", "assay-platform", "FEED#SOURCE"),
		"query reads sources":              may("query", "dynamodb:Query", "assay-platform", "FEED#SOURCE"),
		"ingest writes another kind":       may("ingest", "dynamodb:PutItem", "assay-platform", "FEED#OTHER"),
		"ingest lists results of files":    may("ingest", "dynamodb:Query", history, "") || may("ingest", "dynamodb:Scan", history, ""),
		"ingest reads the dashboard":       may("ingest", "dynamodb:Query", dashboard, "") || may("ingest", "dynamodb:GetItem", dashboard, ""),
		"ingest follows results":           may("ingest", "dynamodb:GetRecords", primary+"/stream/1", ""),
		"ingest records a result":          may("ingest", "dynamodb:UpdateItem", history, "FILE#1", "PK", "SK", "result"),
		"ingest creates a file with one":   may("ingest", "dynamodb:PutItem", history, "FILE#1", "PK", "SK", "result"),
		"ingest records a sentiment":       may("ingest", "dynamodb:UpdateItem", primary, "a", "source_id", "sentiment"),
		"a service makes or drops a table": may("ingest", "dynamodb:CreateTable", history, "") || may("analyzer", "dynamodb:DeleteTable", history, ""),
	} {
		if allowed {
			t.Errorf("deploy/iam allows what it must not: %s", what)
		}
	}
	for name, p := range all {
		for _, part := range p.Parts() {
			if strings.Contains(part, ":* ") || strings.HasSuffix(part, " *") {
				t.Errorf("deploy/iam/%s.json names no action or resource: %s", name, part)
			}
		}
	}
}

// TestForbiddenIsReportedAtOnce: a program that lacks a permission ends with an error that names
// the subject, long before a timeout.
func TestForbiddenIsReportedAtOnce(t *testing.T) {
	t.Parallel()
	c := newGuard(t).start(t)
	for name, test := range map[string]struct {
		role, user string
		says       string
	}{
		"analyzer as ingest": {"analyzer", "ingest", "the user of analyzer may not publish to $JS.API."},
		"ingest as query":    {"ingest", "query", "stream ASSAY_DEAD: NATS denies permission: the user of ingest may not publish to $JS.API.STREAM.INFO.ASSAY_DEAD"},
	} {
		c.Identity = func(string) []string {
			return []string{"ASSAY_NATS_USER=" + test.user, "ASSAY_NATS_PASSWORD=" + test.user}
		}
		p := system.Launch(t, test.role, c.Environment(test.role))
		if status := p.End(t); status != 1 || !strings.Contains(p.Output.String(), test.says) {
			t.Errorf("%s: exit status %d, want 1: %s", name, status, p.Output)
		}
	}
}
