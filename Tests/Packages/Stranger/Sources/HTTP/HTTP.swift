public enum HTTPModule {}
