package system

import (
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/assay-project/assay/pkg/dynamolite"
	"github.com/assay-project/assay/pkg/dynamolite/iam"
)

// Guard starts clusters whose programs have only the permissions of deploy/nats and deploy/iam, and records which parts
// of deploy/iam were used. A program's access key is its name; the key of the tests has all permissions.
type Guard struct {
	Policies map[string]iam.Policy // of deploy/iam, by file name

	mu      sync.Mutex
	used    map[string]map[string]bool // by program, the parts of its policy
	refused map[string]bool
}

// NewGuard returns a Guard. The test fails at its end if a program needed more permissions.
func NewGuard(t *testing.T) *Guard {
	t.Helper()
	policies, err := iam.Read(Repository(t, "deploy/iam"))
	if err != nil {
		t.Fatal(err)
	}
	g := &Guard{Policies: policies, used: map[string]map[string]bool{}, refused: map[string]bool{}}
	for name := range policies {
		g.used[name] = map[string]bool{}
	}
	t.Cleanup(func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		for access := range g.refused {
			t.Errorf("deploy/iam lacks a permission that a program needs (make gen): %s", access)
		}
	})
	return g
}

// Allow reports whether the policy of a program allows an access.
func (g *Guard) Allow(a dynamolite.Access) bool {
	if a.Key == AccessKey {
		return true
	}
	uses := g.Policies[a.Key].Uses(a)
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, use := range uses {
		g.used[a.Key][use] = true
	}
	if len(uses) == 0 {
		g.refused[strings.Join([]string{a.Key, a.Action, a.Resource, a.LeadingKey, strings.Join(a.Attributes, ",")}, " ")] = true
	}
	return len(uses) > 0
}

// Unused returns the parts of policies that no access needed, each prefixed with the name of its program.
func (g *Guard) Unused() []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	var unused []string
	for name, p := range g.Policies {
		for _, part := range p.Parts() {
			if !g.used[name][part] {
				unused = append(unused, name+" "+part)
			}
		}
	}
	return unused
}

// natsUsers lists the users of deploy/nats/nats.conf. In tests, the password of each user is its name.
var natsUsers = []string{"setup", "ingest", "analyzer", "query", "s3", "operator"}

// Start is like StartCluster, but limits each program to its own permissions.
func (g *Guard) Start(t *testing.T, env ...string) *Cluster {
	t.Helper()
	c := &Cluster{Identity: func(role string) []string {
		return []string{
			"ASSAY_NATS_USER=" + role, "ASSAY_NATS_PASSWORD=" + role,
			"AWS_ACCESS_KEY_ID=" + role, "AWS_SECRET_ACCESS_KEY=" + SecretKey,
		}
	}}
	configuration := []string{natsConfiguration + "=" + Repository(t, "deploy/nats/nats.conf")}
	for _, user := range natsUsers {
		configuration = append(configuration, "ASSAY_NATS_"+strings.ToUpper(user)+"_PASSWORD="+user)
	}
	c.NATSEngine = StartEngine(t, "guarded-nats", configuration...)
	c.DynamoDBEngine = &EngineProgram{URL: g.startDynamoDB(t)}
	c.S3Engine = StartEngine(t, "s3", "ASSAY_NATS_URL="+as("s3", c.NATSEngine.URL))
	c.Bucket, c.Table = "assay-files", "text-analyzer-history" // as in deploy/iam
	c.S3 = g.guardS3(t, System{S3: c.S3Engine.URL})
	c.Join(t, env...)
	c.NATS = as("operator", c.NATS)
	return c
}

// as returns the URL of a NATS server for one of its users.
func as(user, url string) string {
	return strings.Replace(url, "://", "://"+user+":"+user+"@", 1)
}

// startDynamoDB serves the engine in this process until the test ends.
func (g *Guard) startDynamoDB(t *testing.T) (url string) {
	t.Helper()
	engine, err := dynamolite.Open(dynamolite.Options{Allow: g.Allow})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(engine)
	t.Cleanup(func() {
		server.Close()
		if err := engine.Close(); err != nil {
			t.Error(err)
		}
	})
	return server.URL
}
