public enum WebModule {}
