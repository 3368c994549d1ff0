package dynamolite

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"time"
)

// Settings of tables that are stored and described, but have no effect: encryption, table
// class, and limits of the capacity.

type sseSpecification struct {
	Enabled        *bool
	SSEType        string
	KMSMasterKeyId string
}

// sseDescription describes the encryption with a key of KMS. A table without it uses a key that the
// service owns.
type sseDescription struct {
	Status          string
	SSEType         string
	KMSMasterKeyArn string `json:",omitempty"`
}

func (s *sseSpecification) check(c *constraints, field string) {
	if s != nil {
		c.enum(field+".sSEType", s.SSEType, "AES256", "KMS")
	}
}

// description returns the encryption that the specification, which can be nil, asks for.
func (s *sseSpecification) description() (*sseDescription, error) {
	switch {
	case s == nil:
		return nil, nil
	case s.Enabled == nil || !*s.Enabled:
		if s.SSEType != "" || s.KMSMasterKeyId != "" {
			return nil, invalidParameters("SSEType and KMSMasterKeyId cannot be specified when server-side encryption is not enabled")
		}
		return nil, nil
	case s.SSEType != "AES256":
		return &sseDescription{"ENABLED", "KMS", keyARN(s.KMSMasterKeyId)}, nil
	case s.KMSMasterKeyId != "":
		return nil, invalidParameters("KMSMasterKeyId cannot be specified when SSEType is AES256")
	}
	return &sseDescription{Status: "ENABLED", SSEType: "AES256"}, nil
}

// managedAlias is the alias of the key that KMS manages for DynamoDB, the default.
const managedAlias = "alias/aws/dynamodb"

// keyARN returns the ARN of a key of KMS that is given by its ARN, its ID, an alias, or the ARN of an
// alias. The ID of the key of an alias is derived from the alias.
func keyARN(given string) string {
	const prefix = "arn:aws:kms:" + region + ":" + account + ":key/"
	if given == "" {
		given = managedAlias
	}
	if strings.HasPrefix(given, "arn:") {
		i := strings.Index(given, ":alias/")
		if i < 0 {
			return given
		}
		given = given[i+1:]
	}
	if strings.HasPrefix(given, "alias/") {
		id := sha256.Sum256([]byte(given))
		id[6], id[8] = id[6]&0x0f|0x40, id[8]&0x3f|0x80 // the version and the variant of a UUID
		given = fmt.Sprintf("%x-%x-%x-%x-%x", id[:4], id[4:6], id[6:8], id[8:10], id[10:16])
	}
	return prefix + given
}

type tableClass struct {
	Name      string
	UpdatedAt time.Time
}

type tableClassSummary struct {
	TableClass         string
	LastUpdateDateTime float64
}

func checkClass(c *constraints, class string) {
	c.enum("tableClass", class, "STANDARD", "STANDARD_INFREQUENT_ACCESS")
}

// classOf returns the table class of a request, or nil if it has none.
func classOf(name string, at time.Time) *tableClass {
	if name == "" {
		return nil
	}
	return &tableClass{name, at}
}

func (t *tableClass) summary() *tableClassSummary {
	if t == nil {
		return nil
	}
	return &tableClassSummary{t.Name, seconds(t.UpdatedAt)}
}

// capacityLimits are members of the descriptions of tables and global indexes, and of requests.
type capacityLimits struct {
	OnDemandThroughput *onDemandThroughput `json:",omitempty"`
	WarmThroughput     *warmThroughput     `json:",omitempty"`
}

type onDemandThroughput struct {
	MaxReadRequestUnits  *int64 `json:",omitempty"`
	MaxWriteRequestUnits *int64 `json:",omitempty"`
}

type warmThroughput struct {
	ReadUnitsPerSecond  *int64 `json:",omitempty"`
	WriteUnitsPerSecond *int64 `json:",omitempty"`
	Status              string `json:",omitempty"`
}

// active returns the limits of a request as they are described.
func (l capacityLimits) active() capacityLimits {
	if l.WarmThroughput != nil {
		warm := *l.WarmThroughput
		warm.Status = "ACTIVE"
		l.WarmThroughput = &warm
	}
	return l
}

// update replaces the limits that the request contains.
func (l *capacityLimits) update(request capacityLimits) {
	request = request.active()
	if request.OnDemandThroughput != nil {
		l.OnDemandThroughput = request.OnDemandThroughput
	}
	if request.WarmThroughput != nil {
		l.WarmThroughput = request.WarmThroughput
	}
}

// describeLimits returns the default quotas of an account (DynamoDB Developer Guide, "Service, account
// and table quotas"), which the engine does not enforce.
func describeLimits(*struct{}) (any, error) {
	return map[string]int64{
		"AccountMaxReadCapacityUnits": 80_000, "AccountMaxWriteCapacityUnits": 80_000,
		"TableMaxReadCapacityUnits": 40_000, "TableMaxWriteCapacityUnits": 40_000,
	}, nil
}
