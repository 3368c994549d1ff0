package permissions

import (
	"encoding/json"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/assay-project/assay/pkg/dynamolite/iam"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// TestBucketPoliciesMatchIAM: the bucket policy for S3 servers without user policies allows each user the same actions
// as deploy/iam, and also allows setup to set the policy of each bucket. It has no user for backups.
func TestBucketPoliciesMatchIAM(t *testing.T) {
	t.Parallel()
	content, err := os.ReadFile(system.Repository(t, "deploy/s3/policy.json"))
	if err != nil {
		t.Fatal(err)
	}
	var bucket struct {
		Statement []struct {
			Principal        struct{ AWS []string }
			Action, Resource iam.OneOrMore
		}
	}
	if err := json.Unmarshal(content, &bucket); err != nil {
		t.Fatal(err)
	}
	got, want := map[string]bool{}, map[string]bool{}
	for _, name := range []string{"assay-files", "photoeditor-dev-temp", "photoeditor-dev-final"} {
		want["setup s3:PutBucketPolicy arn:aws:s3:::"+name] = true
	}
	add := func(to map[string]bool, who string, actions, resources []string) {
		for _, action := range actions {
			for _, resource := range resources {
				if strings.HasPrefix(action, "s3:") && action != "s3:CreateBucket" { // allowed by a role of the S3 server
					to[who+" "+action+" "+resource] = true
				}
			}
		}
	}
	for _, s := range bucket.Statement {
		for _, who := range s.Principal.AWS {
			add(got, who, s.Action, s.Resource)
		}
	}
	for who, p := range system.NewGuard(t).Policies {
		if who == "backup" {
			continue
		}
		for _, s := range p.Statement {
			add(want, who, s.Action, s.Resource)
		}
	}
	if !maps.Equal(got, want) {
		t.Errorf("the bucket policy allows\n%s\nwant, as in deploy/iam,\n%s", strings.Join(slices.Sorted(maps.Keys(got)), "\n"), strings.Join(slices.Sorted(maps.Keys(want)), "\n"))
	}
}
