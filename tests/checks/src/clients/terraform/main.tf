variable "colour" {
  default = "red"
}

variable "kubeconfig" {}

provider "kubernetes" {
  config_path = var.kubeconfig
}

resource "kubernetes_namespace" "lamps" {
  metadata {
    name = "lamps"
  }
}

resource "kubernetes_config_map" "lamp" {
  metadata {
    name      = "lamp"
    namespace = kubernetes_namespace.lamps.metadata[0].name
  }
  data = { colour = var.colour }
}

resource "kubernetes_deployment" "lamp" {
  # Nothing runs pods here.
  wait_for_rollout = false
  metadata {
    name      = "lamp"
    namespace = kubernetes_namespace.lamps.metadata[0].name
  }
  spec {
    replicas = 2
    selector {
      match_labels = { app = "lamp" }
    }
    template {
      metadata {
        labels = { app = "lamp" }
      }
      spec {
        container {
          name  = "lamp"
          image = "lamp:1"
        }
      }
    }
  }
}
