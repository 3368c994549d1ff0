// Package permissions derives the permissions of each program from the descriptions of the areas:
// the IAM policies of deploy/iam, the bucket policies of deploy/s3 for an S3 server whose users
// have no policies, and deploy/nats/nats.conf. Its test writes the files with -update and fails if
// they differ.
package permissions

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/assay-project/assay/pkg/area"
)

// Policy is a policy document: an IAM policy, or a bucket policy if its statements name principals.
type Policy[S any] struct {
	Version   string
	Statement []S
}

const version = "2012-10-17" // version of the policy language

// programs lists every program that has a policy.
func programs() []area.Program {
	return []area.Program{area.Analyzer, area.Ingest, area.Query, area.Rebuild, area.Setup, area.Backup}
}

const bucket = "arn:aws:s3:::" + area.Bucket

// Platform is the name of the policies for what belongs to no area.
const Platform = "platform"

// Limit is the maximum size of a managed policy of IAM, which does not count white space.
const Limit = 6144

// IAM returns the policies of each program: one for each area that it has permissions in, by name, and one for what belongs to
// no area, with the name Platform. platform is the storage of the latter.
func IAM(areas []area.Area, platform area.Storage) map[area.Program]map[string]Policy[area.Statement] {
	stores := storesOf(areas, platform)
	all := map[area.Program]map[string]Policy[area.Statement]{}
	for _, program := range programs() {
		policies := map[string]Policy[area.Statement]{}
		add := func(name string, statements []area.Statement) {
			if len(statements) > 0 {
				policies[name] = Policy[area.Statement]{version, statements}
			}
		}
		for _, a := range areas {
			add(a.Name, a.Access[program])
		}
		add(Platform, append(slices.Clip(platform.Access[program]), common(program, stores)...))
		all[program] = policies
	}
	return all
}

// storesOf returns the storage of the areas and of what belongs to no area.
func storesOf(areas []area.Area, platform area.Storage) []area.Storage {
	var all []area.Storage
	for _, a := range areas {
		all = append(all, a.Storage)
	}
	return append(all, platform)
}

// common returns the permissions of a program that do not depend on the areas.
func common(program area.Program, stores []area.Storage) []area.Statement {
	switch program {
	case area.Setup:
		return creation(stores)
	case area.Backup:
		return backups(stores)
	case area.Rebuild:
		return nil
	}
	statements := []area.Statement{area.Allow("Bucket", []string{"s3:ListBucket"}, bucket)}
	if program != area.Query {
		statements = append(statements, area.Allow("UploadsInParts", []string{"s3:ListBucketMultipartUploads"}, bucket))
	}
	if program == area.Ingest {
		statements = append(statements, area.Allow("NoticesFromAQueue", []string{"sqs:ReceiveMessage", "sqs:DeleteMessage"}, "arn:aws:sqs:*:*:assay-notices"))
	}
	return statements
}

// creation returns the permissions of `assay setup`: to create the tables and buckets.
func creation(stores []area.Storage) []area.Statement {
	var tables, expiring []string
	for _, a := range stores {
		for _, t := range a.Tables {
			name := area.Table(*t.Create.TableName)
			tables = append(tables, name)
			if t.TTL != "" {
				expiring = append(expiring, name)
			}
		}
	}
	return []area.Statement{
		area.Allow("Tables", []string{
			"dynamodb:CreateTable", "dynamodb:DescribeTable", "dynamodb:UpdateTable", "dynamodb:ListTagsOfResource", "dynamodb:TagResource",
			"dynamodb:DescribeContinuousBackups", "dynamodb:UpdateContinuousBackups",
		}, tables...),
		area.Allow("Expiry", []string{"dynamodb:DescribeTimeToLive", "dynamodb:UpdateTimeToLive"}, expiring...),
		area.Allow("Buckets", []string{"s3:CreateBucket", "s3:ListBucket"}, buckets(stores)...),
	}
}

// backups returns the permissions of `assay backup tables`, and of `assay restore tables` with the default suffix. An
// export also requires the permission to write to its bucket.
func backups(stores []area.Storage) []area.Statement {
	var tables, copies, restored, streams, expiring []string
	for _, a := range stores {
		for _, t := range a.Tables {
			name := *t.Create.TableName
			target := area.Table(name + RestoredSuffix)
			tables, copies, restored = append(tables, area.Table(name)), append(copies, area.Table(name)+"/backup/*"), append(restored, target)
			if t.Create.StreamSpecification != nil {
				streams = append(streams, target)
			}
			if t.TTL != "" {
				expiring = append(expiring, target)
			}
		}
	}
	return []area.Statement{
		area.Allow("Tables", []string{
			"dynamodb:CreateBackup", "dynamodb:DescribeContinuousBackups", "dynamodb:UpdateContinuousBackups",
			"dynamodb:DescribeTable", "dynamodb:ExportTableToPointInTime",
		}, tables...),
		area.Allow("ListBackups", []string{"dynamodb:ListBackups"}, "*"), // AWS knows no narrower resource
		area.Allow("Backups", []string{"dynamodb:DescribeBackup", "dynamodb:RestoreTableFromBackup"}, copies...),
		area.Allow("RestoredTables", []string{
			"dynamodb:RestoreTableFromBackup", "dynamodb:DescribeTable", "dynamodb:GetItem", "dynamodb:Query", "dynamodb:Scan",
			"dynamodb:PutItem", "dynamodb:UpdateItem", "dynamodb:DeleteItem", "dynamodb:BatchWriteItem",
		}, restored...),
		area.Allow("RestoredStreams", []string{"dynamodb:UpdateTable"}, streams...),
		area.Allow("RestoredExpiry", []string{"dynamodb:DescribeTimeToLive", "dynamodb:UpdateTimeToLive"}, expiring...),
		area.Allow("Versioning", []string{"s3:GetBucketVersioning"}, buckets(stores)...),
	}
}

// RestoredSuffix is the default end of the names of restored tables.
const RestoredSuffix = "-restored"

// buckets returns the ARNs of all buckets.
func buckets(stores []area.Storage) []string {
	all := []string{bucket}
	for _, s := range stores {
		for _, name := range s.Buckets {
			all = append(all, area.BucketOf(name))
		}
	}
	return all
}

// BucketStatement is a statement of a bucket policy that allows actions for principals.
type BucketStatement struct {
	Sid, Effect string
	Principal   map[string][]area.Program
	Action      []string
	Resource    []string
}

// BucketPolicies returns the S3 permissions as bucket policies, combined in one document, for an S3
// server whose users have no policies. On such a server, creating a bucket requires no permission, but
// setting a policy does. They name no user for backups, which an administrator of the server makes.
func BucketPolicies(areas []area.Area, platform area.Storage) Policy[BucketStatement] {
	p := Policy[BucketStatement]{Version: version, Statement: []BucketStatement{
		statement(area.Setup, area.Allow("Policy", []string{"s3:PutBucketPolicy"}, buckets(storesOf(areas, platform))...)),
	}}
	policies := IAM(areas, platform)
	for _, program := range programs() {
		if program == area.Backup {
			continue
		}
		for _, s := range statements(areas, policies[program]) {
			s.Action = slices.DeleteFunc(slices.Clone(s.Action), func(action string) bool {
				return !strings.HasPrefix(action, "s3:") || action == "s3:CreateBucket"
			})
			if len(s.Action) > 0 {
				p.Statement = append(p.Statement, statement(program, s))
			}
		}
	}
	return p
}

// OfBucket returns the policy of one bucket from BucketPolicies in JSON: the permissions for the
// bucket and its objects. It returns an error if there are none.
func OfBucket(policies []byte, name string) (string, error) {
	var all Policy[map[string]any]
	if err := json.Unmarshal(policies, &all); err != nil {
		return "", err
	}
	itself := area.BucketOf(name)
	one := Policy[map[string]any]{Version: all.Version}
	for _, s := range all.Statement {
		resources, several := s["Resource"].([]any)
		if !several {
			resources = []any{s["Resource"]}
		}
		var ours []any
		for _, resource := range resources {
			if text, _ := resource.(string); text == itself || strings.HasPrefix(text, itself+"/") {
				ours = append(ours, resource)
			}
		}
		if s["Resource"] = ours; len(ours) > 0 {
			one.Statement = append(one.Statement, s)
		}
	}
	if len(one.Statement) == 0 {
		return "", fmt.Errorf("no statement applies to the bucket %s", name)
	}
	text, err := json.Marshal(one)
	return string(text), err
}

// statements returns the statements of the policies of a program, in the order of the areas.
func statements(areas []area.Area, policies map[string]Policy[area.Statement]) []area.Statement {
	var all []area.Statement
	for _, a := range areas {
		all = append(all, policies[a.Name].Statement...)
	}
	return append(all, policies[Platform].Statement...)
}

func statement(program area.Program, s area.Statement) BucketStatement {
	return BucketStatement{
		Sid: fmt.Sprintf("%s %s", program, s.Sid), Effect: s.Effect, Principal: map[string][]area.Program{"AWS": {program}},
		Action: s.Action, Resource: s.Resource,
	}
}

// Files returns the generated files by path, relative to the root of the repository.
func Files(areas []area.Area, platform area.Storage) (map[string][]byte, error) {
	files := map[string][]byte{}
	add := func(name string, policy any) error {
		text, err := json.MarshalIndent(policy, "", "  ")
		files[name] = append(text, '\n')
		return err
	}
	for program, policies := range IAM(areas, platform) {
		for name, policy := range policies {
			if err := add(fmt.Sprintf("deploy/iam/%s/%s.json", program, name), policy); err != nil {
				return nil, err
			}
		}
	}
	if err := add("deploy/s3/policy.json", BucketPolicies(areas, platform)); err != nil {
		return nil, err
	}
	var err error
	files["deploy/nats/nats.conf"], err = natsConfiguration(areas)
	return files, err
}
