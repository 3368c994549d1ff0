package dynamolite_test

import (
	"fmt"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/assay-project/assay/pkg/dynamolite"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

const tableARN = "arn:aws:dynamodb:us-east-1:000000000000:table/"

// tags returns the tags of a resource by key.
func (s *service) tags(arn string) map[string]string {
	s.t.Helper()
	all := map[string]string{}
	for _, tag := range must(s.ListTagsOfResource(s.t.Context(), &dynamodb.ListTagsOfResourceInput{ResourceArn: &arn}))(s.t).Tags {
		all[*tag.Key] = *tag.Value
	}
	return all
}

func tagsOf(pairs ...string) []types.Tag {
	tags := []types.Tag{}
	for i := 0; i < len(pairs); i += 2 {
		tags = append(tags, types.Tag{Key: &pairs[i], Value: &pairs[i+1]})
	}
	return tags
}

// TestTags checks what the tests of tags in the public conformance suite check, and that tags survive a restart.
func TestTags(t *testing.T) {
	path := filepath.Join(t.TempDir(), "db")
	engine, err := dynamolite.Open(dynamolite.Options{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	s := serve(t, engine)
	s.table("tab", "pk:S", "", func(in *dynamodb.CreateTableInput) { in.Tags = tagsOf("created", "yes") })
	arn := *must(s.DescribeTable(t.Context(), &dynamodb.DescribeTableInput{TableName: aws.String("tab")}))(t).Table.TableArn
	tag := func(pairs ...string) {
		t.Helper()
		must(s.TagResource(t.Context(), &dynamodb.TagResourceInput{ResourceArn: &arn, Tags: tagsOf(pairs...)}))(t)
	}
	untag := func(keys ...string) {
		t.Helper()
		must(s.UntagResource(t.Context(), &dynamodb.UntagResourceInput{ResourceArn: &arn, TagKeys: keys}))(t)
	}
	want := func(pairs ...string) {
		t.Helper()
		wanted := map[string]string{}
		for i := 0; i < len(pairs); i += 2 {
			wanted[pairs[i]] = pairs[i+1]
		}
		if got := s.tags(arn); !reflect.DeepEqual(got, wanted) {
			t.Errorf("got tags %v, want %v", got, wanted)
		}
	}
	want("created", "yes")
	tag("env", "test", "project", "conformity")
	want("created", "yes", "env", "test", "project", "conformity")
	tag("team", "platform")
	want("created", "yes", "env", "test", "project", "conformity", "team", "platform")
	untag("team", "missing")
	want("created", "yes", "env", "test", "project", "conformity")
	tag("env", "production", "Env", "")
	want("created", "yes", "env", "production", "project", "conformity", "Env", "")
	s.put("tab", item("pk", "1"))
	if err := engine.Close(); err != nil {
		t.Fatal(err)
	}
	s = start(t, dynamolite.Options{Path: path})
	untag("created", "project", "Env")
	want("env", "production")
	untag("env")
	want()
}

func TestRejectedTags(t *testing.T) {
	s := start(t, dynamolite.Options{})
	s.table("tab", "pk:S", "")
	const invalid, missing, denied = "ValidationException", "ResourceNotFoundException", "AccessDeniedException"
	fifty := tagsOf()
	for i := range 50 {
		fifty = append(fifty, tagsOf(fmt.Sprint("key", i), "v")...)
	}
	set := func(arn string, tags []types.Tag) error {
		_, err := s.TagResource(t.Context(), &dynamodb.TagResourceInput{ResourceArn: &arn, Tags: tags})
		return err
	}
	unset := func(arn string, keys ...string) error {
		_, err := s.UntagResource(t.Context(), &dynamodb.UntagResourceInput{ResourceArn: &arn, TagKeys: append([]string{}, keys...)})
		return err
	}
	list := func(arn string) error {
		_, err := s.ListTagsOfResource(t.Context(), &dynamodb.ListTagsOfResourceInput{ResourceArn: &arn})
		return err
	}
	const tab, other = tableARN + "tab", "arn:aws:dynamodb:us-east-1:123456789012:table/tab"
	one := tagsOf("a", "b")
	for _, c := range []struct {
		err           error
		code, message string
	}{
		{set("not-a-valid-arn", one), invalid, "Invalid TableArn: Invalid ResourceArn provided as input not-a-valid-arn"},
		{set(tableARN+"tab/index/x", one), invalid, "Invalid TableArn: Invalid ResourceArn provided as input"},
		{set(tableARN+"none", one), missing, "Requested resource not found: ResourcArn: " + tableARN + "none not found"},
		{set(other, one), denied, "is not authorized to perform: dynamodb:TagResource on resource: " + other},
		{set(tab, tagsOf()), invalid, "Atleast one Tag needs to be provided as Input."},
		{set(tab, tagsOf("", "b")), invalid, "Value '' at 'tags.1.member.key' failed to satisfy constraint: Member must have length greater than or equal to 1"},
		{set(tab, tagsOf("a", "b", strings.Repeat("ü", 129), "b")), invalid, "at 'tags.2.member.key' failed to satisfy constraint: Member must have length less than or equal to 128"},
		{set(tab, tagsOf("a", strings.Repeat("v", 257))), invalid, "Member must have length less than or equal to 256"},
		{set(tab, tagsOf("aws:a", "b")), invalid, "aws:"},
		{set(tab, tagsOf("a#", "b")), invalid, "characters that are not allowed"},
		{set(tab, tagsOf("a", "b", "a", "c")), invalid, "Duplicate tag key: a"},
		{set(tab, append(tagsOf("a", "b"), fifty...)), invalid, "limit of 50"},
		{set(tab, fifty), "", ""},
		{set(tab, tagsOf("key0", "other")), "", ""},
		{set(tab, one), invalid, "limit of 50"},
		{unset(tab), invalid, "Atleast one Tag Key needs to be provided as Input."},
		{unset(tableARN+"none", "a"), missing, "not found"},
		{unset("a:b", "a"), invalid, "Invalid TableArn"},
		{list(tableARN + "none"), denied, "is not authorized to perform: dynamodb:ListTagsOfResource"},
		{list(""), invalid, "Invalid TableArn"},
	} {
		if c.code == "" {
			if c.err != nil {
				t.Errorf("got %v, want no error", c.err)
			}
			continue
		}
		wantError(t, c.err, c.code)
		if !strings.Contains(c.err.Error(), c.message) {
			t.Errorf("got %v, want %q", c.err, c.message)
		}
	}
	if got := s.tags(tab); len(got) != 50 || got["key0"] != "other" {
		t.Errorf("got %d tags %v, want 50 with key0 = other", len(got), got)
	}
	response := responseTo(s.engine, "TagResource", `{"ResourceArn":"`+tab+`"}`)
	if !strings.Contains(response.Body.String(), "Value null at 'tags' failed to satisfy constraint: Member must not be null") {
		t.Errorf("without Tags: got %s, want an error that names tags", response.Body)
	}
	_, err := s.CreateTable(t.Context(), &dynamodb.CreateTableInput{
		TableName: aws.String("tagged"), KeySchema: keys("pk:S", ""), BillingMode: types.BillingModePayPerRequest, Tags: tagsOf("aws:a", "b"),
		AttributeDefinitions: []types.AttributeDefinition{{AttributeName: aws.String("pk"), AttributeType: types.ScalarAttributeTypeS}},
	})
	wantError(t, err, invalid)
}
