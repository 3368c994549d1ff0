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

// IAM returns the policy of each program.
func IAM(stores []area.Storage) map[area.Program]Policy[area.Statement] {
	all := map[area.Program]Policy[area.Statement]{}
	for _, program := range programs() {
		p := Policy[area.Statement]{Version: version}
		for _, s := range stores {
			p.Statement = append(p.Statement, s.Access[program]...)
		}
		p.Statement = append(p.Statement, common(program, stores)...)
		all[program] = p
	}
	return all
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
		area.Allow("Buckets", []string{"s3:CreateBucket"}, buckets(stores)...),
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
func BucketPolicies(stores []area.Storage) Policy[BucketStatement] {
	p := Policy[BucketStatement]{Version: version, Statement: []BucketStatement{
		statement(area.Setup, area.Allow("Policy", []string{"s3:PutBucketPolicy"}, buckets(stores)...)),
	}}
	policies := IAM(stores)
	for _, program := range programs() {
		if program == area.Backup {
			continue
		}
		for _, s := range policies[program].Statement {
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

func statement(program area.Program, s area.Statement) BucketStatement {
	return BucketStatement{
		Sid: fmt.Sprintf("%s %s", program, s.Sid), Effect: s.Effect, Principal: map[string][]area.Program{"AWS": {program}},
		Action: s.Action, Resource: s.Resource,
	}
}

// Files returns the generated files by path, relative to the root of the repository.
func Files(areas []area.Area, stores []area.Storage) (map[string][]byte, error) {
	files := map[string][]byte{}
	add := func(name string, policy any) error {
		text, err := json.MarshalIndent(policy, "", "  ")
		files[name] = append(text, '\n')
		return err
	}
	for program, policy := range IAM(stores) {
		if err := add(fmt.Sprintf("deploy/iam/%s.json", program), policy); err != nil {
			return nil, err
		}
	}
	if err := add("deploy/s3/policy.json", BucketPolicies(stores)); err != nil {
		return nil, err
	}
	var err error
	files["deploy/nats/nats.conf"], err = natsConfiguration(areas)
	return files, err
}
