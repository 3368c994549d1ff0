variable "environment" {
  description = "The environment, a part of the names of tables and buckets. The programs read it from ASSAY_ENV."
  type        = string
  default     = "dev"

  validation {
    condition     = can(regex("^[a-z0-9-]{1,20}$", var.environment))
    error_message = "The environment must consist of 1 to 20 lower-case letters, digits and hyphens."
  }
}

variable "table_names" {
  description = "Names of tables by resource, such as { text_analyzer_history = \"texts\" }. Tables without a name here have that of the data model."
  type        = map(string)
  default     = {}
}

variable "kms_key_arn" {
  description = "The KMS key that encrypts all tables, buckets and the queue; a multi-Region key if there are replicas. Without it, AWS manages the keys."
  type        = string
  default     = null
}

variable "point_in_time_recovery" {
  description = "Tables with point-in-time recovery: default (as in the data model), all or none."
  type        = string
  default     = "default"

  validation {
    condition     = contains(["default", "all", "none"], var.point_in_time_recovery)
    error_message = "point_in_time_recovery must be default, all or none."
  }
}

variable "replicas" {
  description = "Regions of the other replicas of the table of feed items, each with the ARN of the KMS key there, or null for a key that AWS manages."
  type        = map(string)
  default     = {}
}

variable "deletion_protection" {
  description = "Whether tables cannot be deleted."
  type        = bool
  default     = false
}

variable "tags" {
  description = "Tags of all resources, in addition to those in the data model."
  type        = map(string)
  default     = {}
}

variable "bucket_names" {
  description = "Names of the buckets by purpose: files, temp and final. Names of buckets are unique in all of AWS, so usually all three are set."
  type        = map(string)
  default     = {}
}

variable "bucket_versioning" {
  description = "Whether the buckets keep replaced and deleted objects, for 35 days. Required for backups of the buckets."
  type        = bool
  default     = false
}

variable "page_origins" {
  description = "Origins of the web app, which may upload to the buckets, such as https://assay.example.com."
  type        = list(string)
  default     = []
}

variable "queue_name" {
  description = "Name of the queue of upload notifications. The policy of ingest allows assay-notices."
  type        = string
  default     = "assay-notices"
}

variable "name_prefix" {
  description = "Beginning of the names of roles, policies and alarms."
  type        = string
  default     = "assay"
}

variable "ecs" {
  description = "Whether tasks of ECS may assume the roles."
  type        = bool
  default     = false
}

variable "eks" {
  description = "The OpenID Connect provider of an EKS cluster whose service accounts may assume the roles. The accounts are named as the programs, with the prefix; that of the chart in deploy/helm is the name of the release, such as assay-."
  type = object({
    provider_arn           = string
    issuer                 = string # without https://
    namespace              = string
    service_account_prefix = optional(string, "assay-")
  })
  default = null
}

variable "alarm_topic_arn" {
  description = "The SNS topic that receives alarms. Without it, there are no alarms."
  type        = string
  default     = null
}

variable "dax" {
  description = "A DAX cluster for the dashboard of the feed. Without it, query reads the table."
  type = object({
    node_type          = optional(string, "dax.t3.small")
    nodes              = optional(number, 3)
    subnet_ids         = list(string)
    security_group_ids = list(string)
  })
  default = null
}
