# Production: a customer's key with replicas in three other regions, recovery of all tables, versioned buckets, roles for the
# service accounts of an EKS cluster, and alarms.
provider "aws" {
  region = "us-east-1"
}

provider "aws" {
  alias  = "us_west_2"
  region = "us-west-2"
}

provider "aws" {
  alias  = "eu_west_1"
  region = "eu-west-1"
}

provider "aws" {
  alias  = "ap_south_1"
  region = "ap-south-1"
}

resource "aws_kms_key" "assay" {
  description             = "Tables, buckets and queues of Assay"
  multi_region            = true
  enable_key_rotation     = true
  deletion_window_in_days = 30
  policy                  = data.aws_iam_policy_document.key.json
}

data "aws_caller_identity" "current" {}

# The account administers the key, and S3 encrypts the notifications that it sends to the queue.
data "aws_iam_policy_document" "key" {
  statement {
    sid       = "Account"
    actions   = ["kms:*"]
    resources = ["*"]

    principals {
      type        = "AWS"
      identifiers = ["arn:aws:iam::${data.aws_caller_identity.current.account_id}:root"]
    }
  }

  statement {
    sid       = "Notifications"
    actions   = ["kms:Decrypt", "kms:GenerateDataKey"]
    resources = ["*"]

    principals {
      type        = "Service"
      identifiers = ["s3.amazonaws.com"]
    }
  }
}

resource "aws_kms_replica_key" "us_west_2" {
  provider        = aws.us_west_2
  primary_key_arn = aws_kms_key.assay.arn
}

resource "aws_kms_replica_key" "eu_west_1" {
  provider        = aws.eu_west_1
  primary_key_arn = aws_kms_key.assay.arn
}

resource "aws_kms_replica_key" "ap_south_1" {
  provider        = aws.ap_south_1
  primary_key_arn = aws_kms_key.assay.arn
}

module "assay" {
  source = "../.."

  environment            = "prod"
  kms_key_arn            = aws_kms_key.assay.arn
  point_in_time_recovery = "all"
  deletion_protection    = true
  bucket_versioning      = true
  bucket_names           = var.bucket_names
  page_origins           = var.page_origins
  eks                    = var.eks
  alarm_topic_arn        = var.alarm_topic_arn

  replicas = {
    us-west-2  = aws_kms_replica_key.us_west_2.arn
    eu-west-1  = aws_kms_replica_key.eu_west_1.arn
    ap-south-1 = aws_kms_replica_key.ap_south_1.arn
  }

  tags = {
    service = "assay"
  }
}

variable "bucket_names" {
  description = "Names of the buckets: files, temp and final."
  type        = map(string)
}

variable "page_origins" {
  description = "Origins of the web app."
  type        = list(string)
}

variable "eks" {
  description = "The OpenID Connect provider of the cluster."
  type = object({
    provider_arn           = string
    issuer                 = string
    namespace              = string
    service_account_prefix = optional(string, "assay-")
  })
}

variable "alarm_topic_arn" {
  description = "The SNS topic that receives alarms."
  type        = string
}

output "environment_variables" {
  value = module.assay.environment_variables
}

output "role_arns" {
  value = module.assay.role_arns
}
